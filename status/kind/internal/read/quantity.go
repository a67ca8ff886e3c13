package read

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/api/manifest"
)

// IsQuantity reports whether a value is a quantity of 0 or more, or null.
func IsQuantity(v any) bool {
	_, ok := quantity(v)
	return ok || v == nil
}

// Quantities returns a map of quantities. It omits invalid ones: a plan refuses the object (Kind.Mistakes).
func Quantities(m map[string]any, path ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, v := range Object(m, path...) {
		if q, ok := quantity(v); ok {
			list[corev1.ResourceName(name)] = q
		}
	}
	return list
}

// quantity parses a quantity, a string ("100m") or the number that YAML makes of it without quotes. A negative one is
// invalid.
func quantity(v any) (resource.Quantity, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case int64, float64, int32, int:
		s = fmt.Sprint(v)
	}
	if manifest.Endless(s) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(s)
	return q, err == nil && q.Sign() >= 0
}
