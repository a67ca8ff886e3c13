package failover

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Stateful reports whether an object is a StatefulSet or has PersistentVolumeClaims.
func Stateful(u *unstructured.Unstructured) bool {
	if u == nil {
		return false
	}
	kind := u.GroupVersionKind().GroupKind()
	if kind.Kind == "StatefulSet" || kind.Kind == "PersistentVolumeClaim" && kind.Group == "" {
		return true
	}
	for _, path := range [][]string{{"spec", "template", "spec", "volumes"}, {"spec", "volumes"}} {
		volumes, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		list, _ := volumes.([]any)
		if slices.ContainsFunc(list, func(v any) bool {
			volume, _ := v.(map[string]any)
			return volume["persistentVolumeClaim"] != nil
		}) {
			return true
		}
	}
	claims, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "volumeClaimTemplates")
	list, _ := claims.([]any)
	return len(list) > 0
}
