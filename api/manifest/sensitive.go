package manifest

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SensitiveAnnotation hides values of an object: all values outside metadata for "true", or those at a comma-separated
// list of paths in the format of Hunk.Path of package hunk. A path covers everything below it. In lists it covers all items,
// with and without brackets. An invalid value means "true". An annotation on one side of a change hides the values of both.
const SensitiveAnnotation = "accord.dev/sensitive"

// IsSensitive reports whether u has values that must not leave the cluster: u is a Secret, or SensitiveAnnotation marks it.
func IsSensitive(u *unstructured.Unstructured) bool {
	return SensitiveMark(u.GetAnnotations()) != "" || IDOf(u).IsSecret()
}

// SensitiveMark returns the value of SensitiveAnnotation, and "" if it is absent, empty or "false".
func SensitiveMark(annotations map[string]string) string {
	mark := strings.TrimSpace(annotations[SensitiveAnnotation])
	if strings.EqualFold(mark, "false") {
		return ""
	}
	return mark
}
