package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// What is refused here no API server takes, whatever the kind. It is said before a cluster is asked, with the line, and
// nothing that could forge a line of a report gets into one.

// maxAnnotations is how many bytes all annotations of an object may have together, keys and values.
const maxAnnotations = 256 << 10

func isGroupVersion(gv schema.GroupVersion) bool {
	return (gv.Group == "" || len(validation.IsDNS1123Subdomain(gv.Group)) == 0) && len(validation.IsDNS1035Label(gv.Version)) == 0
}

func isKind(kind string) bool { return len(validation.IsDNS1035Label(strings.ToLower(kind))) == 0 }

// wrongName says what is wrong with the name of an object of any kind, empty if nothing is.
func wrongName(name string) string {
	if wrong := path.IsValidPathSegmentName(name); len(wrong) > 0 {
		return wrong[0]
	}
	if !printable(name) {
		return "has characters that cannot be printed"
	}
	return ""
}

// nameless says why an object without a name has none.
func nameless(metadata map[string]any) string {
	switch {
	case metadata["generateName"] != nil:
		return ": generateName would make a new object on every apply"
	case metadata["name"] != nil:
		return fmt.Sprintf(" that is a string: %.100s (quote it)", fmt.Sprint(metadata["name"]))
	}
	return ""
}

// wrongLabel says what is wrong with a label, empty if nothing is.
func wrongLabel(key, value string) string {
	if wrong := validation.IsQualifiedName(key); len(wrong) > 0 {
		return wrong[0]
	}
	if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
		return fmt.Sprintf("%.100q is no value of a label: %s", value, wrong[0])
	}
	return ""
}

// wrongAnnotation says what is wrong with an annotation, empty if nothing is.
func wrongAnnotation(key, _ string) string {
	if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
		return wrong[0]
	}
	return ""
}

// checkStrings checks a map of metadata whose values must be strings.
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
