package override_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web, tier: a}, annotations: {note: x}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "docker.io/team/web:1", env: [{name: REGION, value: eu}, {name: B, value: b}]}
      - {name: side, image: "docker.io/team/side:2"}
`

func read(t *testing.T, text string) *unstructured.Unstructured {
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(data))
	return u
}

func TestBetween(t *testing.T) {
	for name, x := range map[string]struct {
		change func(u *unstructured.Unstructured, containers []any)
		want   string
	}{
		"nothing": {func(*unstructured.Unstructured, []any) {}, `{}`},
		"labels and annotations": {func(u *unstructured.Unstructured, _ []any) {
			u.SetLabels(map[string]string{"app": "web", "tier": "b", "new": "n"})
			u.SetAnnotations(nil)
		}, `{"labelsOverrider":[{"operator":"add","value":{"new":"n","tier":"b"}}],"annotationsOverrider":[{"operator":"remove","value":{"note":"x"}}]}`},
		"the registry of all images": {func(_ *unstructured.Unstructured, c []any) {
			c[0].(map[string]any)["image"], c[1].(map[string]any)["image"] = "mirror.eu/team/web:1", "mirror.eu/team/side:2"
		}, `{"imageOverrider":[{"component":"Registry","operator":"replace","value":"mirror.eu"}]}`},
		"the tag of the second image": {func(_ *unstructured.Unstructured, c []any) {
			c[1].(map[string]any)["image"] = "docker.io/team/side:3"
		}, `{"imageOverrider":[{"predicate":{"path":"/spec/template/spec/containers/1/image"},"component":"Tag","operator":"replace","value":"3"}]}`},
		"a digest in place of a tag": {func(_ *unstructured.Unstructured, c []any) {
			c[1].(map[string]any)["image"] = "docker.io/team/side@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		}, `{"imageOverrider":[{"predicate":{"path":"/spec/template/spec/containers/1/image"},"component":"Tag","operator":"replace","value":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`},
		"fields, and a variable": {func(u *unstructured.Unstructured, c []any) {
			require.NoError(t, unstructured.SetNestedField(u.Object, int64(0), "spec", "replicas"))
			require.NoError(t, unstructured.SetNestedField(u.Object, int64(3), "spec", "revisionHistoryLimit"))
			c[0].(map[string]any)["env"].([]any)[0].(map[string]any)["value"] = "us"
		}, `{"plaintext":[{"path":"/spec/replicas","operator":"replace","value":0},{"path":"/spec/revisionHistoryLimit","operator":"add","value":3},` +
			`{"path":"/spec/template/spec/containers/0/env/0/value","operator":"replace","value":"us"}]}`},
		"a list of another length": {func(_ *unstructured.Unstructured, c []any) {
			c[0].(map[string]any)["env"] = []any{map[string]any{"name": "B", "value": "b"}}
			delete(c[1].(map[string]any), "image")
		}, `{"plaintext":[{"path":"/spec/template/spec/containers/0/env","operator":"replace","value":[{"name":"B","value":"b"}]},{"path":"/spec/template/spec/containers/1/image","operator":"remove"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := read(t, web), read(t, web)
			containers, _, err := unstructured.NestedFieldNoCopy(to.Object, "spec", "template", "spec", "containers")
			require.NoError(t, err)
			x.change(to, containers.([]any))
			overriders := override.Between(from, to)
			text, err := json.Marshal(overriders)
			require.NoError(t, err)
			require.Equal(t, x.want, string(text))

			o := &policy.Override{Spec: policy.OverrideSpec{OverrideRules: []policy.OverrideRule{{Overriders: overriders}}}}
			o.Namespace = "shop"
			_, err = override.Apply(from, fleet.Cluster{Name: "a"}, []*policy.Override{o})
			require.NoError(t, err)
			if len(from.GetAnnotations()) == 0 {
				from.SetAnnotations(nil)
			}
			require.Equal(t, to, from)
		})
	}
}
