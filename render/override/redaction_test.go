package override

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/fleet"
)

// TestErrorsQuoteNoSecret requires that an error about a Secret names the entry and contains no values.
func TestErrorsQuoteNoSecret(t *testing.T) {
	for name, overrider := range map[string]string{
		"an image that is none":        `imageOverrider: [{predicate: {path: /stringData/key}, component: Tag, operator: replace, value: v2}]`,
		"an image that cannot be made": `imageOverrider: [{predicate: {path: /stringData/plain}, component: Tag, operator: replace, value: "not a tag"}]`,
		"text that is no YAML":         `fieldOverrider: [{fieldPath: /stringData/key, yaml: [{subPath: /a, operator: add, value: 1}]}]`,
		"text that is no JSON":         `fieldOverrider: [{fieldPath: /stringData/key, json: [{subPath: /a, operator: add, value: 1}]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			overrides, err := decode(t, []byte(`
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: o}
spec:
  overrideRules:
  - overriders:
      `+overrider+"\n"))
			require.NoError(t, err)
			for _, kind := range []string{"Secret", "Other"} {
				u := object(t, []byte(`{apiVersion: v1, kind: `+kind+`, metadata: {name: s, namespace: shop}, stringData: {key: "a: b: planted-1 [", plain: planted-2}}`))
				_, err = Apply(u, fleet.Cluster{Name: "a"}, overrides)
				require.ErrorContains(t, err, "ClusterOverridePolicy o")
				if kind == "Secret" {
					require.NotContains(t, err.Error(), "planted")
				}
			}
		})
	}
}
