package permit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Recreate reports whether accord may delete an object and create it again to change an immutable field: Git has to allow
// it with the force annotation on the object. For a kind that accord never recreates, never names the kind, as in "a
// Namespace": deleting it loses data that Git does not have, or its API server does not name the immutable field.
func Recreate(object *unstructured.Unstructured) (allowed bool, never string) {
	if never := neverRecreated[object.GroupVersionKind().GroupKind()]; never != "" {
		return false, never
	}
	return object.GetAnnotations()[v1alpha1.ForceAnnotation] == v1alpha1.ForceEnabled, ""
}

var neverRecreated = map[schema.GroupKind]string{
	{Kind: "Namespace"}:                  "a Namespace",
	manifest.DefinitionKind:              "a CustomResourceDefinition",
	{Kind: "PersistentVolume"}:           "a PersistentVolume",
	{Kind: "PersistentVolumeClaim"}:      "a PersistentVolumeClaim",
	{Group: "apps", Kind: "StatefulSet"}: "a StatefulSet",
	{Kind: "Pod"}:                        "a Pod",
}
