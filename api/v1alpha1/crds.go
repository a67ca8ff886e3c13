package v1alpha1

import (
	"embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// crds has the output of controller-gen for the types of this package ("make generate").
//
//go:embed crds/*.yaml
var crds embed.FS

// CRDs returns the CustomResourceDefinitions of all kinds of this package, sorted by name. The caller may change them. An
// error means that the binary was built from a broken file.
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
		all = append(all, crd)
	}
	return all, nil
}
