package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/render/override/patch"
)

// labels edits metadata.labels, but not those of a pod template (Karmada §3.5).
func (r ruleRun) labels(o policy.MetadataOverrider) error { return r.metadata("labels", o) }

// annotations edits metadata.annotations.
func (r ruleRun) annotations(o policy.MetadataOverrider) error { return r.metadata("annotations", o) }

// metadata edits one map of metadata: add sets keys, replace sets existing keys, remove deletes keys.
func (r ruleRun) metadata(field string, o policy.MetadataOverrider) error {
	metadata, ok := r.object.Object["metadata"].(map[string]any)
	if !ok {
		return fmt.Errorf("the object has no metadata")
	}
	have, ok := metadata[field].(map[string]any)
	if !ok && metadata[field] != nil {
		return fmt.Errorf("metadata.%s is not a map", field)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Value)) {
		before, exists := have[key]
		var after any
		switch {
		case o.Operator == "add" || o.Operator == "replace" && exists:
			if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
				return fmt.Errorf("%q is not a valid key: %s", key, strings.Join(wrong, "; "))
			}
			if have == nil {
				have = map[string]any{}
				metadata[field] = have
			}
			if after = o.Value[key]; before == after {
				continue
			}
			have[key] = after
		case o.Operator == "remove" && exists:
			delete(have, key)
		case o.Operator == "replace", o.Operator == "remove":
			continue
		default:
			return fmt.Errorf("unknown operator %q, expected add, remove or replace", o.Operator)
		}
		if r.record.tracing {
			r.operation = describeKey(field, o.Operator, key, o.Value[key])
		}
		r.recordChange(change{path: "/metadata/" + field + "/" + patch.Escape(key), before: before, after: after})
	}
	return nil
}

func describeLabels(o policy.MetadataOverrider) (operation, path string) {
	return describeMetadata("labels", o)
}

func describeAnnotations(o policy.MetadataOverrider) (operation, path string) {
	return describeMetadata("annotations", o)
}

func describeMetadata(field string, o policy.MetadataOverrider) (operation, path string) {
	keys := slices.Sorted(maps.Keys(o.Value))
	if len(keys) == 1 {
		return describeKey(field, o.Operator, keys[0], o.Value[keys[0]]), "/metadata/" + field + "/" + patch.Escape(keys[0])
	}
	return fmt.Sprintf("%s %s %s", o.Operator, field, strings.Join(keys, ", ")), "/metadata/" + field
}

// describeKey includes the values of labels. Values of annotations may be long.
func describeKey(field, operator, key, value string) string {
	if field == "labels" && operator != "remove" {
		key += "=" + value
	}
	return fmt.Sprintf("%s %s %s", operator, strings.TrimSuffix(field, "s"), key)
}
