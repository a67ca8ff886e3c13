package apiserver

import (
	"encoding/json"
	"fmt"
	"maps"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/apiserver/search"
)

// describe configures the OpenAPI documents, which "kubectl explain bundles" reads.
func describe(c *genericapiserver.Config, scheme *runtime.Scheme) error {
	clusters, err := schemas("Cluster")
	if err != nil {
		return err
	}
	registries, err := schemas("ResourceRegistry")
	if err != nil {
		return err
	}
	definitions := func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		all := definitions(ref)
		addKind(all, ref, clusterproxy.Cluster{}.OpenAPIModelName(), "Cluster is a member cluster. It is read-only here: accord.dev/v1alpha1 has the Cluster that you change.", clusters)
		addKind(all, ref, search.ResourceRegistry{}.OpenAPIModelName(), "ResourceRegistry names objects of clusters that accord keeps in memory. It is stored in the group accord.dev.", registries)
		for _, name := range []string{search.Search{}.OpenAPIModelName(), search.Proxying{}.OpenAPIModelName()} {
			all[name] = object("A resource without objects, whose paths lead to those of the clusters.", map[string]spec.Schema{"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty()})
		}
		return all
	}
	namer := openapi.NewDefinitionNamer(scheme)
	c.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	c.OpenAPIConfig.Info.Title = "accord"
	c.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	c.OpenAPIV3Config.Info.Title = "accord"
	return nil
}

// addKind adds the schemas of a kind and of its list.
func addKind(all map[string]common.OpenAPIDefinition, ref common.ReferenceCallback, name, description string, fields map[string]spec.Schema) {
	properties := map[string]spec.Schema{
		"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty(), "metadata": reference(ref, metav1.ObjectMeta{}.OpenAPIModelName()),
	}
	maps.Copy(properties, fields)
	all[name] = object(description, properties, metav1.ObjectMeta{}.OpenAPIModelName())
	all[name+"List"] = object("A list of objects of the kind.", map[string]spec.Schema{
		"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty(), "metadata": reference(ref, metav1.ListMeta{}.OpenAPIModelName()),
		"items": *spec.ArrayProperty(&spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref(name)}}),
	}, metav1.ListMeta{}.OpenAPIModelName(), name)
}

// definitions returns the schemas of the group and those of the kinds that every API server has.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	all := apiextensions.GetOpenAPIDefinitions(ref)
	maps.Copy(all, map[string]common.OpenAPIDefinition{
		delivery.Bundle{}.OpenAPIModelName(): object("Bundle shows the desired state of one cluster, in figures. Its name is that of the Cluster. It is read-only.",
			map[string]spec.Schema{
				"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty(),
				"metadata": reference(ref, metav1.ObjectMeta{}.OpenAPIModelName()), "status": reference(ref, delivery.BundleStatus{}.OpenAPIModelName()),
			}, metav1.ObjectMeta{}.OpenAPIModelName(), delivery.BundleStatus{}.OpenAPIModelName()),
		delivery.BundleStatus{}.OpenAPIModelName(): object("BundleStatus has the figures of a bundle.", map[string]spec.Schema{
			"index":       *spec.StringProperty().WithDescription("SHA-256 digest of the index, in hexadecimal."),
			"federations": *spec.Int64Property().WithDescription("Federations that have objects for the cluster."),
			"objects":     *spec.Int64Property().WithDescription("Objects of the bundle."),
			"bytes":       *spec.Int64Property().WithDescription("Bytes of index and objects, uncompressed."),
			"published":   reference(ref, metav1.Time{}.OpenAPIModelName()),
		}, metav1.Time{}.OpenAPIModelName()),
		delivery.BundleList{}.OpenAPIModelName(): object("BundleList is a list of Bundles.", map[string]spec.Schema{
			"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty(),
			"metadata": reference(ref, metav1.ListMeta{}.OpenAPIModelName()),
			"items":    *spec.ArrayProperty(&spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref(delivery.Bundle{}.OpenAPIModelName())}}),
		}, metav1.ListMeta{}.OpenAPIModelName(), delivery.Bundle{}.OpenAPIModelName()),
	})
	return all
}

func object(description string, properties map[string]spec.Schema, dependencies ...string) common.OpenAPIDefinition {
	return common.OpenAPIDefinition{
		Schema:       spec.Schema{SchemaProps: spec.SchemaProps{Description: description, Type: []string{"object"}, Properties: properties}},
		Dependencies: dependencies,
	}
}

func reference(ref common.ReferenceCallback, name string) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Default: map[string]any{}, Ref: ref(name)}}
}

// schemas returns the schemas of the fields spec and status of a kind of accord, out of its CustomResourceDefinition.
func schemas(kind string) (map[string]spec.Schema, error) {
	all, err := v1alpha1.CRDs()
	if err != nil {
		return nil, err
	}
	for _, crd := range all {
		if crd.Spec.Names.Kind != kind {
			continue
		}
		fields := map[string]spec.Schema{}
		for _, name := range []string{"spec", "status"} {
			text, err := json.Marshal(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[name])
			if err != nil {
				return nil, fmt.Errorf("encoding the schema of %s: %w", kind, err)
			}
			var field spec.Schema
			if err := json.Unmarshal(text, &field); err != nil {
				return nil, fmt.Errorf("decoding the schema of %s: %w", kind, err)
			}
			fields[name] = field
		}
		return fields, nil
	}
	return nil, fmt.Errorf("kind %s has no CustomResourceDefinition", kind)
}
