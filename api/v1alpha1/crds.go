package v1alpha1

import (
	"embed"
	"fmt"
	"regexp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// crds has the output of controller-gen for the types of this package ("make generate").
//
//go:embed crds/*.yaml
var crds embed.FS

// wrapped matches a line break inside a paragraph of a description, before anything but a list item.
var wrapped = regexp.MustCompile(`([^\n])\n([^\n\-* ])`)

// CRDs returns the CustomResourceDefinitions of all kinds of this package, sorted by name. The caller may change them. An
// error means that the binary was built from a broken file. Each paragraph of a description is one line, because kubectl
// explain keeps line breaks and wraps each line.
func CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := crds.ReadDir("crds")
	if err != nil {
		return nil, fmt.Errorf("listing embedded CRDs: %w", err)
	}
	all := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(files))
	for _, file := range files {
		text, err := crds.ReadFile("crds/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("reading embedded CRD: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			return nil, fmt.Errorf("decoding embedded CRD %s: %w", file.Name(), err)
		}
		for _, version := range crd.Spec.Versions {
			unwrap(version.Schema.OpenAPIV3Schema)
		}
		if kind := crd.Spec.Names.Kind; kind == "FederatedObject" || kind == "Delivery" {
			addWholeVersion(crd)
		}
		all = append(all, crd)
	}
	return all, nil
}

// addWholeVersion adds WholeVersion to the versions of a kind: the same schema and columns without the subresource.
func addWholeVersion(crd *apiextensionsv1.CustomResourceDefinition) {
	whole := crd.Spec.Versions[0].DeepCopy()
	whole.Name, whole.Storage, whole.Subresources = WholeVersion.Version, false, nil
	crd.Spec.Versions = append(crd.Spec.Versions, *whole)
}

// unwrap joins the lines of each paragraph of the descriptions of a schema.
func unwrap(s *apiextensionsv1.JSONSchemaProps) {
	s.Description = wrapped.ReplaceAllString(s.Description, "$1 $2")
	for name, field := range s.Properties {
		unwrap(&field)
		s.Properties[name] = field
	}
	if s.Items != nil && s.Items.Schema != nil {
		unwrap(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		unwrap(s.AdditionalProperties.Schema)
	}
}
