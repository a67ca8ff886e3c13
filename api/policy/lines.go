package policy

import "strings"

// parent is the path of the enclosing field: "spec.rules[1].value" is in "spec.rules[1]", which is in "spec.rules".
func parent(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}
