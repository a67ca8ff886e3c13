package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/render/mistake"
)

// These checks reject names that no API server accepts for any kind. They report the line before any cluster is asked,
// and keep characters out of reports that could forge a line.

// maxAnnotations is the limit in bytes for all annotations of an object, keys and values.
const maxAnnotations = 256 << 10

// MaxNameBytes is the limit for metadata.name.
const MaxNameBytes = 253

func isGroupVersion(gv schema.GroupVersion) bool {
	return (gv.Group == "" || len(validation.IsDNS1123Subdomain(gv.Group)) == 0) && len(validation.IsDNS1035Label(gv.Version)) == 0
}

func isKind(kind string) bool { return len(validation.IsDNS1035Label(strings.ToLower(kind))) == 0 }

// nameError returns the reason why a name is invalid for any kind, or "".
func nameError(name string) string {
	if wrong := path.IsValidPathSegmentName(name); len(wrong) > 0 {
		return wrong[0]
	}
	if !mistake.Printable(name) {
		return "has unprintable characters"
	}
	return ""
}

// missingNameHint returns the reason why an object has no name.
func missingNameHint(metadata map[string]any) string {
	switch {
	case metadata["generateName"] != nil:
		return ": generateName would make a new object on every apply"
	case metadata["name"] != nil:
		return fmt.Sprintf(" that is a string: %.100s (quote it)", fmt.Sprint(metadata["name"]))
	}
	return ""
}

// labelError returns the reason why a label is invalid, or "".
func labelError(key, value string) string {
	if wrong := validation.IsQualifiedName(key); len(wrong) > 0 {
		return wrong[0]
	}
	if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
		return fmt.Sprintf("%.100q is not a valid label value: %s", value, wrong[0])
	}
	return ""
}

// annotationError returns the reason why an annotation is invalid, or "".
func annotationError(key, _ string) string {
	if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
		return wrong[0]
	}
	return ""
}

// checkStrings checks a field of metadata that must be a map of strings.
func checkStrings(metadata map[string]any, field string, wrong func(key, value string) string, fail func([]string, string, ...any) error) error {
	if metadata[field] == nil {
		return nil
	}
	values, ok := metadata[field].(map[string]any)
	if !ok {
		return fail([]string{"metadata", field}, "metadata.%s is not a map of strings", field)
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value, ok := values[key].(string)
		if !ok {
			return fail([]string{"metadata", field, key}, "metadata.%s has %.100q: %.100s, which is not a string; quote it", field, key, fmt.Sprint(values[key]))
		}
		if why := wrong(key, value); why != "" {
			return fail([]string{"metadata", field, key}, "metadata.%s has %.100q: %s", field, key, why)
		}
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		return fail([]string{"metadata", field}, "metadata.%s has %d bytes, more than the %d that Kubernetes allows", field, size, maxAnnotations)
	}
	return nil
}
