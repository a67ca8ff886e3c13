package propagate

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Renewable says whether an object may be deleted and made anew where a field of it cannot be changed: Git has to allow it,
// on the object itself. never is the kind, as in "a Namespace", if it never may: more would be lost than what Git has of
// it, or its API server does not say of which field it is.
func Renewable(object *unstructured.Unstructured) (allowed bool, never string) {
	if never := unrenewed[object.GroupVersionKind().GroupKind()]; never != "" {
		return false, never
	}
	return object.GetAnnotations()[v1alpha1.ForceAnnotation] == v1alpha1.ForceEnabled, ""
}

var unrenewed = map[schema.GroupKind]string{
	{Kind: "Namespace"}: "a Namespace",
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: "a CustomResourceDefinition",
	{Kind: "PersistentVolume"}:                                        "a PersistentVolume",
	{Kind: "PersistentVolumeClaim"}:                                   "a PersistentVolumeClaim",
	{Group: "apps", Kind: "StatefulSet"}:                              "a StatefulSet",
	{Kind: "Pod"}:                                                     "a Pod",
}
