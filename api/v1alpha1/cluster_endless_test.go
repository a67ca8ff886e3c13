package v1alpha1_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestEndlessQuantities: to compare "1e99999999" with another quantity takes minutes, so it is refused before.
func TestEndlessQuantities(t *testing.T) {
	for field, text := range map[string]string{
		"spec.resourceModels[0].ranges[0].max":         `{spec: {resourceModels: [{grade: 0, ranges: [{name: cpu, min: "0", max: 1e99999999}]}]}}`,
		"status.resourceSummary.allocated.example.com": `{spec: {}, status: {resourceSummary: {allocated: {example.com: "1E+99999999"}}}}`,
	} {
		u := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
		u.SetAPIVersion(v1alpha1.GroupVersion.String())
		u.SetKind("Cluster")
		u.SetName("a")
		c, err := v1alpha1.DecodeCluster(u, nil, manifest.Origin{Path: "c.yaml"})
		require.ErrorContains(t, err, field+" is too large or too precise a quantity")
		require.Empty(t, c.Spec.ResourceModels)
	}
}
