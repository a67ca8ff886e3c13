package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/policy"
)

// labels changes metadata.labels, never those of a pod template (Karmada §3.5).
func (r run) labels(o policy.MetadataOverrider) error { return r.metadata("labels", o) }

// annotations changes metadata.annotations.
func (r run) annotations(o policy.MetadataOverrider) error { return r.metadata("annotations", o) }

// metadata edits one map of metadata: add sets keys, replace sets those that exist, remove deletes.
func (r run) metadata(field string, o policy.MetadataOverrider) error {
	metadata, ok := r.object.Object["metadata"].(map[string]any)
	if !ok {
		return fmt.Errorf("the object has no metadata")
	}
	have, ok := metadata[field].(map[string]any)
	if !ok && metadata[field] != nil {
		return fmt.Errorf("metadata.%s is not a map", field)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Value)) {
		_, exists := have[key]
		switch {
		case o.Operator == "add" || o.Operator == "replace" && exists:
			if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
				return fmt.Errorf("%q is not a valid key: %s", key, strings.Join(wrong, "; "))
			}
			if have == nil {
				have = map[string]any{}
				metadata[field] = have
			}
			if have[key] == o.Value[key] && exists {
				continue
			}
			have[key] = o.Value[key]
		case o.Operator == "remove" && exists:
			delete(have, key)
		case o.Operator == "replace", o.Operator == "remove":
			continue
		default:
			return fmt.Errorf("unknown operator %q, expected add, remove or replace", o.Operator)
		}
		r.edited("/metadata/" + field + "/" + escape(key))
	}
	return nil
}
