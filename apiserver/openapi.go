package apiserver

import (
	"maps"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/accord-dev/accord/api/delivery"
)

// describe configures the OpenAPI documents, which "kubectl explain bundles" reads.
func describe(c *genericapiserver.Config, scheme *runtime.Scheme) {
	namer := openapi.NewDefinitionNamer(scheme)
	c.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	c.OpenAPIConfig.Info.Title = "accord"
	c.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	c.OpenAPIV3Config.Info.Title = "accord"
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
