package override

import (
	"testing"

	"github.com/distribution/reference"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// FuzzApply: whatever an overrider says, nothing panics, and an image edit leaves a valid image that has a digest if
// the image had one, unless the edit names another tag for it.
func FuzzApply(f *testing.F) {
	f.Add("nginx:1.2", "Tag", "add", "-arm", "/metadata/labels/a", `"x"`)
	f.Add("reg.io:5000/a/b@sha256:0123012301230123012301230123012301230123012301230123012301230123", "Registry", "replace", "r.x", "/spec/containers/0/image", `{"a": [1]}`)
	f.Add("a", "Repository", "remove", "", "/spec/containers/-", "null")
	f.Fuzz(func(t *testing.T, image, component, operator, value, path, raw string) {
		overriders := []policy.Overriders{
			{ImageOverrider: []policy.ImageOverrider{{Component: component, Operator: operator, Value: value}}},
			{ImageOverrider: []policy.ImageOverrider{{Component: component, Operator: operator, Value: value, Predicate: &policy.ImagePredicate{Path: path}}}},
			{
				Plaintext:       []policy.PlaintextOverrider{{Path: path, Operator: operator, Value: &apiextensionsv1.JSON{Raw: []byte(raw)}}},
				LabelsOverrider: []policy.MetadataOverrider{{Operator: operator, Value: map[string]string{value: raw}}},
				ArgsOverrider:   []policy.CommandOverrider{{ContainerName: "a", Operator: operator, Value: []string{value}}},
			},
		}
		for i, o := range overriders {
			u := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p", "namespace": "n"},
				"spec": map[string]any{"containers": []any{map[string]any{"name": "a", "image": image, "args": []any{"x"}}}},
			}}
			_, err := Apply(u, fleet.Cluster{}, []policy.Override{{Spec: policy.OverrideSpec{OverrideRules: []policy.OverrideRule{{Overriders: o}}}}})
			if err != nil || i == 2 {
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
	var overrides []policy.Override
	for _, namespace := range []string{"", "shop", "a", "b", "c"} {
		for _, name := range []string{"web", "api"} {
			overrides = append(overrides, policy.Override{
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
