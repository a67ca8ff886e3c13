package override

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/distribution/reference"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override/patch"
)

// FuzzApply requires for all overriders: no panic; a serializable object; an edit for every changed field; and the same
// result from Trace. An edited image is valid and keeps its digest unless the edit names another tag for it. An error
// comes without edits.
func FuzzApply(f *testing.F) {
	f.Add("nginx:1.2", "Tag", "add", "-arm", "/metadata/labels/a", `"x"`)
	f.Add("reg.io:5000/a/b@sha256:0123012301230123012301230123012301230123012301230123012301230123", "Registry", "replace", "r.x", "/spec/containers/0/image", `{"a": [1]}`)
	f.Add("a", "Repository", "remove", "", "/spec/containers/-", "null")
	f.Add("{a: 1}", "Tag", "replace", "b: [c]\n", "/a", "[1.0]")
	f.Add("", "", "add", "b: [c]\n", "/spec/containers/-1", "{}")
	f.Fuzz(func(t *testing.T, image, component, operator, value, path, raw string) {
		for _, s := range []string{image, component, operator, value, path, raw} {
			if !utf8.ValidString(s) {
				return // impossible in a manifest
			}
		}
		for i, o := range fuzzed(component, operator, value, path, raw) {
			overrides := []*policy.Override{{Spec: policy.OverrideSpec{OverrideRules: []policy.OverrideRule{{Overriders: o}}}}}
			before, u, traced := fuzzedPod(image, value), fuzzedPod(image, value), fuzzedPod(image, value)
			edits, err := Apply(u, fleet.Cluster{}, overrides)
			steps, errTraced := Trace(traced, fleet.Cluster{}, overrides)
			require.Equal(t, err, errTraced)
			if err != nil {
				require.Nil(t, edits)
				continue
			}
			require.Equal(t, u, traced)
			require.Equal(t, edits, editsOf(steps))
			requireEdited(t, edits, "", before.Object, u.Object)
			requireSendable(t, u)
			if i >= 2 {
				continue
			}
			containers, _, err := unstructured.NestedSlice(u.Object, "spec", "containers")
			require.NoError(t, err)
			edited := containers[0].(map[string]any)["image"].(string)
			if edited != image {
				requireSound(t, image, edited, component, operator)
			}
		}
	})
}

// fuzzed returns overriders made of strings: two of images, and one of each other kind.
func fuzzed(component, operator, value, path, raw string) []policy.Overriders {
	js := &apiextensionsv1.JSON{Raw: []byte(raw)}
	field := []policy.FieldOperation{{SubPath: path, Operator: operator, Value: js}}
	return []policy.Overriders{
		{ImageOverrider: []policy.ImageOverrider{{Component: component, Operator: operator, Value: value}}},
		{ImageOverrider: []policy.ImageOverrider{{Component: component, Operator: operator, Value: value, Predicate: &policy.ImagePredicate{Path: path}}}},
		{Plaintext: []policy.PlaintextOverrider{{Path: path, Operator: operator, Value: js}, {Path: path, Operator: "remove"}}},
		{
			LabelsOverrider:  []policy.MetadataOverrider{{Operator: operator, Value: map[string]string{value: raw}}},
			CommandOverrider: []policy.CommandOverrider{{ContainerName: "a", Operator: operator, Value: []string{value}}},
			ArgsOverrider:    []policy.CommandOverrider{{ContainerName: "a", Operator: operator, Value: []string{value, "x"}}},
			Plaintext:        []policy.PlaintextOverrider{{Path: path, Operator: operator, Value: js}},
		},
		{FieldOverrider: []policy.FieldOverrider{{FieldPath: "/metadata/annotations/text", YAML: field}}},
		{FieldOverrider: []policy.FieldOverrider{{FieldPath: "/metadata/annotations/text", JSON: field}}},
		{FieldOverrider: []policy.FieldOverrider{{FieldPath: path, YAML: field}}},
	}
}

func fuzzedPod(image, text string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "p", "namespace": "n", "annotations": map[string]any{"text": text}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "a", "image": image, "args": []any{"x"}}}},
	}}
}

// requireEdited requires an edit for every field that changed.
func requireEdited(t *testing.T, edits []Edit, pointer string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	_, edited := LastEdit(edits, pointer)
	require.True(t, edited, "%q changed", pointer)
	old, isMap := before.(map[string]any)
	edit, stillMap := after.(map[string]any)
	if !isMap || !stillMap {
		return
	}
	for key := range old {
		requireEdited(t, edits, pointer+"/"+patch.Escape(key), old[key], edit[key])
	}
	for key := range edit {
		requireEdited(t, edits, pointer+"/"+patch.Escape(key), old[key], edit[key])
	}
}

// requireSendable requires that the object survives serialization.
func requireSendable(t *testing.T, u *unstructured.Unstructured) {
	data, err := json.Marshal(u.Object)
	require.NoError(t, err)
	var back map[string]any
	require.NoError(t, json.Unmarshal(data, &back))
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(data, again) {
		require.NoError(t, err)
		require.Equal(t, string(data), string(again))
	}
	require.NotEmpty(t, u.GetName())
	require.NotEmpty(t, u.GetKind())
}

func requireSound(t *testing.T, before, after, component, operator string) {
	old, err := reference.Parse(before)
	require.NoError(t, err)
	edited, err := reference.Parse(after)
	require.NoError(t, err)
	if _, pinned := old.(reference.Digested); pinned && (component != "Tag" || operator != "replace") {
		require.Implements(t, (*reference.Digested)(nil), edited)
	}
}

// BenchmarkApply applies ten overrides, two of which match, to a Deployment.
func BenchmarkApply(b *testing.B) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop", "labels": map[string]any{"app": "web"}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{"name": "a", "image": "nginx:1.27", "args": []any{"x"}},
		}}}},
	}}
	rule := []policy.OverrideRule{{
		TargetCluster: &policy.ClusterAffinity{ClusterNames: []string{"eu"}},
		Overriders: policy.Overriders{
			ImageOverrider:  []policy.ImageOverrider{{Component: "Registry", Operator: "replace", Value: "registry.example.com"}},
			LabelsOverrider: []policy.MetadataOverrider{{Operator: "add", Value: map[string]string{"region": "eu"}}},
		},
	}}
	var overrides []*policy.Override
	for _, namespace := range []string{"", "shop", "a", "b", "c"} {
		for _, name := range []string{"web", "api"} {
			overrides = append(overrides, &policy.Override{
				Meta: policy.Meta{Namespace: namespace, Name: name},
				Spec: policy.OverrideSpec{
					ResourceSelectors: []policy.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment", Name: name}},
					OverrideRules:     rule,
				},
			})
		}
	}
	for b.Loop() {
		edits, err := Apply(u.DeepCopy(), fleet.Cluster{Name: "eu"}, overrides)
		require.NoError(b, err)
		require.Len(b, edits, 2)
	}
}
