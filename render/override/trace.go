package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override/patch"
)

// Step is what one entry of an overrider did to one field. An entry that changes several fields makes several steps.
type Step struct {
	// Edit.Path is "" when an entry changed nothing and could have changed several fields, or none.
	Edit
	Rule      string // "spec.overrideRules[0]"
	Operation string // one phrase: "replace Registry with r.x:1". Values that may be long or secret are not in it
	// Before and After are the value at Path, nil when it is absent or null. They are the caller's to keep.
	Before, After any
	Changed       bool // false: the entry applied to the object, and left it as it was
	// Lost are the keys that a map at Path had, and that a plaintext add or replace of the whole map threw away, sorted;
	// those of a map in it with the keys that lead there: "labels.app".
	Lost []string
}

// Trace rewrites u as Apply does, and tells every overrider entry that applied, in order, with what it did. The steps
// that changed something are Apply's edits. On an error, which is Apply's, the steps until then are returned with it.
func Trace(u *unstructured.Unstructured, c fleet.Cluster, overrides []policy.Override) ([]Step, error) {
	rec := record{tracing: true}
	err := rec.apply(u, overrides, targeting(c, overrides))
	return rec.steps, err
}

// record is what the overrides have done so far: the edits, or the steps when tracing.
type record struct {
	tracing bool
	edits   []Edit
	steps   []Step
}

// change is one change of one field.
type change struct {
	path          string // JSON pointer
	before, after any
	moved         int8
	lost          []string
}

// changed notes a change.
func (r run) changed(c change) {
	e := Edit{At: r.override.At(r.field), Policy: r.override.String(), Field: r.field, Path: c.path, moved: c.moved}
	if !r.record.tracing {
		r.record.edits = append(r.record.edits, e)
		return
	}
	r.step(Step{Edit: e, Before: c.before, After: runtime.DeepCopyJSONValue(c.after), Changed: true, Lost: c.lost})
}

// unchanged notes an entry that left the object as it was; path is "" or the field it looked at.
func (r run) unchanged(path string) {
	e := Edit{At: r.override.At(r.field), Policy: r.override.String(), Field: r.field, Path: path}
	s := Step{Edit: e}
	if path != "" {
		s.Before = runtime.DeepCopyJSONValue(patch.Lookup(r.object.Object, path))
		s.After = runtime.DeepCopyJSONValue(s.Before)
	}
	r.step(s)
}

func (r run) step(s Step) {
	s.Operation = r.operation
	s.Rule, _, _ = strings.Cut(r.field, ".overriders")
	r.record.steps = append(r.record.steps, s)
}

// lost are the keys of the map before that are not in after, and those of the maps in both.
func lost(before, after any) []string {
	old, ok := before.(map[string]any)
	if !ok {
		return nil
	}
	kept, _ := after.(map[string]any)
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(old)) {
		value, ok := kept[key]
		if !ok {
			keys = append(keys, key)
			continue
		}
		for _, below := range lost(old[key], value) {
			keys = append(keys, fmt.Sprintf("%s.%s", key, below))
		}
	}
	return keys
}
