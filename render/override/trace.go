package override

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override/patch"
)

// Step is the effect of one overrider entry on one field. An entry that changes several fields has several steps.
type Step struct {
	// Edit.Path is "" if an entry changed nothing and does not concern exactly one field.
	Edit
	Rule      string // "spec.overrideRules[0]"
	Operation string // one phrase: "replace Registry with r.x:1", without values that may be long or secret
	// Before and After are copies of the value at Path, nil if it is absent or null.
	Before, After any
	Changed       bool // false: the entry applied to the object and changed nothing
	// Lost are the keys of a map, or the entries of a list, at Path that a plaintext add or replace of the whole map or
	// list dropped: the name of an entry that has one, else its index. Nested ones have their path: "labels.app".
	Lost []string
}

// Trace rewrites u as Apply does and returns a step for every overrider entry that applied, in order. The steps with
// changes are the edits of Apply. With an error, which is the one of Apply, it returns the steps so far.
func Trace(u *unstructured.Unstructured, c fleet.Cluster, overrides []*policy.Override) ([]Step, error) {
	rec := record{tracing: true}
	err := rec.apply(u, overrides, rulesFor(c, overrides))
	return rec.steps, err
}

// record collects the edits, or the steps when tracing.
type record struct {
	tracing bool
	edits   []Edit
	steps   []Step
}

// change is one change of one field.
type change struct {
	path          string // JSON pointer
	before, after any
	shift         int8
	lost          []string
}

// recordChange records a change.
func (r ruleRun) recordChange(c change) {
	e := Edit{At: r.override.At(r.field), Policy: r.override.String(), Field: r.field, Path: c.path, shift: c.shift}
	if !r.record.tracing {
		r.record.edits = append(r.record.edits, e)
		return
	}
	r.step(Step{Edit: e, Before: c.before, After: runtime.DeepCopyJSONValue(c.after), Changed: true, Lost: c.lost})
}

// recordNoChange records an entry that changed nothing. path is the field that it read, or "".
func (r ruleRun) recordNoChange(path string) {
	e := Edit{At: r.override.At(r.field), Policy: r.override.String(), Field: r.field, Path: path}
	s := Step{Edit: e}
	if path != "" {
		s.Before = runtime.DeepCopyJSONValue(patch.Lookup(r.object.Object, path))
		s.After = runtime.DeepCopyJSONValue(s.Before)
	}
	r.step(s)
}

func (r ruleRun) step(s Step) {
	s.Operation = r.operation
	s.Rule, _, _ = strings.Cut(r.field, ".overriders")
	r.record.steps = append(r.record.steps, s)
}

// lost returns the keys of a map, or the entries of a list, that after lacks, including nested ones.
func lost(before, after any) []string {
	switch old := before.(type) {
	case map[string]any:
		return lostKeys(old, after)
	case []any:
		return lostEntries(old, after)
	}
	return nil
}

// lostEntries returns the entries of a list that after lacks. An entry with a name stays if its name does.
func lostEntries(old []any, after any) []string {
	kept, _ := after.([]any)
	var entries []string
	for i, entry := range old {
		name := nameOf(entry)
		if slices.ContainsFunc(kept, func(other any) bool {
			return name != "" && name == nameOf(other) || reflect.DeepEqual(entry, other)
		}) {
			continue
		}
		entries = append(entries, cmp.Or(name, fmt.Sprintf("[%d]", i)))
	}
	return entries
}

// nameOf returns the name of an entry of a list; empty if it has none.
func nameOf(entry any) string {
	fields, _ := entry.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

func lostKeys(old map[string]any, after any) []string {
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
