package rendered

import "github.com/accord-dev/accord/api/v1alpha1"

// redacted replaces a value of a Secret. It is a list, which no API server accepts as a value, so that a redacted Secret cannot
// be applied by mistake.
func redacted() []any { return []any{"redacted"} }

// redact removes the values of a Secret, and data that would help to guess them. It changes the object.
func redact(object map[string]any) {
	for _, field := range []string{"data", "stringData"} {
		if values, ok := object[field].(map[string]any); ok {
			for key := range values {
				values[key] = redacted()
			}
		} else if object[field] != nil {
			object[field] = redacted()
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for _, key := range []string{v1alpha1.DigestAnnotation, "kubectl.kubernetes.io/last-applied-configuration"} {
		if _, there := annotations[key]; there {
			annotations[key] = redacted()
		}
	}
}
