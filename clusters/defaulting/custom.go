package defaulting

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Define adds the kind of a CustomResourceDefinition, with the defaults in its schema.
func (k *Kinds) Define(crd *unstructured.Unstructured) error {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, definition); err != nil {
		return fmt.Errorf("decoding CustomResourceDefinition %s: %w", crd.GetName(), err)
	}
	for _, v := range definition.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, props, nil); err != nil {
			return fmt.Errorf("reading the schema of CustomResourceDefinition %s: %w", crd.GetName(), err)
		}
		s, err := structural.NewStructural(props)
		if err != nil {
			return fmt.Errorf("reading the schema of CustomResourceDefinition %s: %w", crd.GetName(), err)
		}
		names := map[string]bool{}
		addDefaultNames(names, s)
		gvk := schema.GroupVersionKind{Group: definition.Spec.Group, Version: v.Name, Kind: definition.Spec.Names.Kind}
		if len(names) == 0 {
			k.defined[gvk] = nil
			continue
		}
		k.defined[gvk] = &Defaulter{Names: names, Fill: func(object map[string]any) (map[string]any, error) {
			filled := runtime.DeepCopyJSON(object)
			defaulting.Default(filled, s)
			return filled, nil
		}}
	}
	return nil
}

// addDefaultNames adds the names of the fields that have a default, and of those inside the value of a default.
func addDefaultNames(names map[string]bool, s *structural.Structural) {
	if s == nil {
		return
	}
	for name, property := range s.Properties {
		if property.Default.Object != nil {
			names[name] = true
			addValueNames(names, property.Default.Object)
		}
		addDefaultNames(names, &property)
	}
	addDefaultNames(names, s.Items)
	if s.AdditionalProperties != nil {
		addDefaultNames(names, s.AdditionalProperties.Structural)
	}
}

func addValueNames(names map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			names[name] = true
			addValueNames(names, v)
		}
	case []any:
		for _, item := range value {
			addValueNames(names, item)
		}
	}
}
