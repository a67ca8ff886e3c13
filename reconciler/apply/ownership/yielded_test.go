package ownership

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func parsed(text string) map[string]any {
	var object map[string]any
	if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}

// managing is one manager for each "name: FieldsV1".
func managing(sets ...string) Managers {
	var all Managers
	for _, s := range sets {
		name, text, _ := strings.Cut(s, ": ")
		m := Manager{Name: name, operation: "Update"}
		if name == "accord" {
			m.operation = "Apply"
		}
		m.fields = fieldsOf(parsed(text))
		all = append(all, m)
	}
	return all
}

func TestLeft(t *testing.T) {
	live := parsed(`{"spec":{"suspend":true,"ref":{"name":"a","uid":"1"}}}`)
	for name, c := range map[string]struct {
		path string
		all  Managers
		want []Yielded
	}{
		"another's":                    {"spec.suspend", managing(`kubectl: {"f:spec":{"f:suspend":{}}}`), []Yielded{{"spec.suspend", "kubectl"}}},
		"nobody's":                     {"spec.suspend", nil, []Yielded{{"spec.suspend", ""}}},
		"ours":                         {"spec.suspend", managing(`accord: {"f:spec":{"f:suspend":{}}}`), nil},
		"ours and another's":           {"spec.suspend", managing(`kubectl: {"f:spec":{"f:suspend":{}}}`, `accord: {"f:spec":{"f:suspend":{}}}`), nil},
		"ours is something beside it":  {"spec.suspend", managing(`accord: {"f:spec":{"f:path":{}}}`), []Yielded{{"spec.suspend", ""}}},
		"ours is a part of it":         {"spec.ref", managing(`accord: {"f:spec":{"f:ref":{"f:name":{}}}}`, `pv: {"f:spec":{"f:ref":{"f:uid":{}}}}`), nil},
		"ours is all around it":        {"spec.suspend", managing(`accord: {"f:spec":{}}`), nil},
		"parts are another's":          {"spec.ref", managing(`pv: {"f:spec":{"f:ref":{".":{},"f:name":{},"f:uid":{}}}}`), []Yielded{{"spec.ref", "pv"}}},
		"in one value, another's":      {"spec.suspend", managing(`kubectl: {"f:spec":{}}`), nil},
		"around it is another's, too":  {"spec.suspend", managing(`kubectl: {"f:spec":{}}`, `argo: {"f:spec":{".":{},"f:suspend":{}}}`), []Yielded{{"spec.suspend", "argo"}}},
		"not there":                    {"spec.path", managing(`kubectl: {"f:spec":{"f:suspend":{}}}`), nil},
		"below of what is no object":   {"spec.suspend.deep", nil, nil},
		"changed in a request of ours": {"spec.suspend", Managers{{Name: "accord", operation: "Update", fields: fieldsOf(parsed(`{"f:spec":{"f:suspend":{}}}`))}}, []Yielded{{"spec.suspend", "accord"}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, c.all.Yielded([]string{c.path}, live))
		})
	}
}

func TestYielded(t *testing.T) {
	paths := []string{"spec.suspend", "spec.replicas", "imagePullSecrets"}
	for applied, want := range map[string][]string{
		`{"spec":{"suspend":false,"replicas":0},"imagePullSecrets":[]}`: paths,
		`{"spec":{"suspend":null}}`:                                     nil,
		`{"spec":{"template":{"replicas":1}}}`:                          nil,
		`{"spec":"replicas"}`:                                           nil,
		`{"imagePullSecrets":[{"name":"registry"}]}`:                    {"imagePullSecrets"},
	} {
		require.Equal(t, want, Present(paths, []byte(applied)), applied)
	}
}

func TestDrop(t *testing.T) {
	for object, want := range map[string]string{
		`{"spec":{"a":{"b":1},"c":2}}`:      `{"spec":{"c":2}}`,
		`{"kind":"K","spec":{"a":{"b":1}}}`: `{"kind":"K"}`,
		`{"spec":{"a":{"b":1,"d":{}}}}`:     `{"spec":{"a":{"d":{}}}}`,
		`{"spec":{"a":"b"}}`:                `{"spec":{"a":"b"}}`,
		`{}`:                                `{}`,
	} {
		got := parsed(object)
		Remove(got, "spec.a.b")
		require.Equal(t, parsed(want), got, object)
	}
}

func TestCovers(t *testing.T) {
	left := []Yielded{{Path: "spec.clusterIP"}, {Path: "spec.clusterIPs"}}
	require.True(t, Covers(left, ""))
	require.True(t, Covers(left, "spec.clusterIPs"))
	require.True(t, Covers(left, Paths(left)))
	require.False(t, Covers(left[1:], "spec.clusterIP"), "a name that begins like another is another")
}
