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
	mark := strings.TrimSpace(u.GetAnnotations()[SensitiveAnnotation])
	return mark != "" && !strings.EqualFold(mark, "false") || IDOf(u).IsSecret()
}
