package jsonschema

import (
	"encoding/json"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// policyNames are the names of the kinds that a cluster serves for its own policies.
var policyNames = []struct {
	kind, plural, short string
	scope               apiextensionsv1.ResourceScope
}{
	{"PropagationPolicy", "propagationpolicies", "pp", apiextensionsv1.NamespaceScoped},
	{"ClusterPropagationPolicy", "clusterpropagationpolicies", "cpp", apiextensionsv1.ClusterScoped},
	{"OverridePolicy", "overridepolicies", "op", apiextensionsv1.NamespaceScoped},
	{"ClusterOverridePolicy", "clusteroverridepolicies", "cop", apiextensionsv1.ClusterScoped},
}

// PolicyCRDs returns the CustomResourceDefinitions with which a cluster serves policies, for a source that reads them there. They accept
// the fields that accord accepts. The caller may change them.
func PolicyCRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, n := range policyNames {
		k, err := Find(All(), n.kind)
		if err != nil {
			return nil, err
		}
		spec, err := k.structural()
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{
			TypeMeta:   metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
			ObjectMeta: metav1.ObjectMeta{Name: n.plural + "." + k.Group},
		}
		crd.Spec.Group, crd.Spec.Scope = k.Group, n.scope
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
			Kind: n.kind, ListKind: n.kind + "List", Plural: n.plural, Singular: strings.ToLower(n.kind), ShortNames: []string{n.short},
		}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: Version, Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: spec},
		}}
		all = append(all, crd)
	}
	return all, nil
}

// structural returns the schema as an API server accepts it: without the fields that every object has.
func (k Kind) structural() (*apiextensionsv1.JSONSchemaProps, error) {
	text, err := k.Schema()
	if err != nil {
		return nil, err
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("decoding the embedded schema of %s: %w", k.Name, err)
	}
	properties, _ := root["properties"].(map[string]any)
	for _, own := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(properties, own)
	}
	root["required"] = []any{"spec"}
	delete(root, "$schema")
	delete(root, "title")
	open(root)
	if text, err = json.Marshal(root); err != nil {
		return nil, err
	}
	s := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("decoding the embedded schema of %s: %w", k.Name, err)
	}
	preserveUntyped(s)
	return s, nil
}

// open removes the marks of closed objects: API servers warn about unknown fields and drop them, whatever a schema says.
func open(s map[string]any) {
	if s["additionalProperties"] == false {
		delete(s, "additionalProperties")
	}
	for _, below := range s {
		if m, is := below.(map[string]any); is {
			open(m)
		}
	}
}

// preserveUntyped has the fields without a type keep any value.
func preserveUntyped(s *apiextensionsv1.JSONSchemaProps) {
	if s.Type == "" {
		s.XPreserveUnknownFields = ptr.To(true)
	}
	for name, field := range s.Properties {
		preserveUntyped(&field)
		s.Properties[name] = field
	}
	if s.Items != nil {
		preserveUntyped(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		preserveUntyped(s.AdditionalProperties.Schema)
	}
}
