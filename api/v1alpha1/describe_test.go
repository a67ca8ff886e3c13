package v1alpha1_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectF27EveryFieldHasADescription: kubectl explain describes every field.
func TestDefectF27EveryFieldHasADescription(t *testing.T) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			root := version.Schema.OpenAPIV3Schema
			delete(root.Properties, "metadata") // kubectl describes it
			requireDescriptions(t, crd.Spec.Names.Kind, *root)
		}
	}
}

// TestDefectF27DescriptionsHaveNoBrokenSentences: kubectl explain wraps lines to the terminal, and keeps line breaks.
func TestDefectF27DescriptionsHaveNoBrokenSentences(t *testing.T) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		text, err := json.Marshal(crd)
		require.NoError(t, err)
		for _, description := range regexp.MustCompile(`"description":"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(text), -1) {
			lines := strings.Split(description[1], `\n`)
			for i, line := range lines[:len(lines)-1] {
				item := strings.HasPrefix(lines[i+1], "-") || strings.HasPrefix(lines[i+1], "*")
				require.True(t, line == "" || lines[i+1] == "" || item, "%s: %s", crd.Name, description[1])
			}
		}
	}
}

func requireDescriptions(t *testing.T, path string, s apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		if field.Description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		requireDescriptions(t, path+"."+name, field)
	}
	if s.Items != nil && s.Items.Schema != nil {
		requireDescriptions(t, path+"[]", *s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		requireDescriptions(t, path+"{}", *s.AdditionalProperties.Schema)
	}
}
