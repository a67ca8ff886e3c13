package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// TestProvenOnce: what was compared on one cluster is not compared again on the next, and what is not the same is.
func TestProvenOnce(t *testing.T) {
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "c"}
	want := &propagate.Rendered{ID: id, Digest: "d1", Body: compact.Whole([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop"},"data":{"a":"1"}}`))}
	live := func(digest, fields string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		require.NoError(t, json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop",
			"annotations":{"`+v1alpha1.DigestAnnotation+`":"`+digest+`"},
			"managedFields":[{"manager":"accord","operation":"Apply","fieldsV1":`+fields+`}]}}`), u))
		return u
	}
	all, none := `{"f:metadata":{"f:labels":{}},"f:data":{"f:a":{}}}`, `{"f:metadata":{}}`
	proven := Proven{}
	observe := func(u *unstructured.Unstructured, want *propagate.Rendered) Object {
		seen := Observe(u, want, Object{}, proven[id])
		proven.Note(id, seen)
		return seen
	}
	require.True(t, observe(live("d1", all), want).Intact)
	require.Contains(t, proven, id)

	again := *want
	again.Body = compact.Whole([]byte("not compared"))
	require.True(t, observe(live("d1", all), &again).Intact, "known from the first cluster")
	require.False(t, observe(live("d1", none), want).Intact, "somebody took the field")
	again.Digest = "d2"
	require.False(t, observe(live("d2", all), &again).Intact, "another version is another question")
	require.Equal(t, "d1", proven[id].Digest, "what is not intact proves nothing")
}

func TestTellStaysShort(t *testing.T) {
	s := Object{Yielded: []ownership.Yielded{{Path: "spec.clusterIP", Manager: ""}, {Path: "spec.suspend", Manager: strings.Repeat("m", 128)}, {Path: "spec.replicas", Manager: "accord"}}}
	require.Equal(t, "spec.clusterIP is left to the cluster; spec.suspend is left to "+strings.Repeat("m", 128)+"; spec.replicas is left to an admission webhook", s.AppendYielded(""))
	long := strings.Repeat("x", 220)
	require.Equal(t, long, s.AppendYielded(long), "half a sentence says nothing")
	require.Equal(t, "fine", Object{}.AppendYielded("fine"))
}
