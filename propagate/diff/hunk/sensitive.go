package hunk

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SensitiveAnnotation marks an object of which values are never shown: "true" for all below its spec, its data and its
// other fields beside metadata, or a comma-separated list of paths, written as Hunk.Path has them. A path also means
// everything below it. It leads through lists: with no brackets, or with any, it means all items. A mark that cannot be
// read means "true". A mark on one side is one on both: what was a secret before stays one in this comparison.
const SensitiveAnnotation = "accord.dev/sensitive"

// rules are the paths to what is secret, as far as they lead on from where the walk is.
type rules []rule

type rule struct {
	steps []step
	// plain are fields that the rule does not mean, at its first step.
	plain []string
	// encoded says that strings are base64, as in the data of a Secret.
	encoded bool
}

// key is what is left of the rules one field further down.
func (r rules) key(name string) rules {
	var on rules
	for _, rule := range r {
		switch {
		case len(rule.steps) == 0:
			if !slices.Contains(rule.plain, name) {
				on = append(on, rule.below(0))
			}
		case !rule.steps[0].item && rule.steps[0].name == name:
			on = append(on, rule.below(1))
		}
	}
	return on
}

// item is what is left of the rules in an item of a list, whichever it is.
func (r rules) item() rules {
	var on rules
	for _, rule := range r {
		if len(rule.steps) == 0 {
			on = append(on, rule)
			continue
		}
		if s := rule.steps[0]; s.item || s.quoted {
			on = append(on, rule.below(1))
		}
		if !rule.steps[0].item {
			on = append(on, rule)
		}
	}
	return on
}

func (r rule) below(n int) rule { return rule{steps: r.steps[n:], encoded: r.encoded} }

// all says that everything from here on is secret.
func (r rules) all() bool {
	return slices.ContainsFunc(r, func(rule rule) bool { return len(rule.steps) == 0 && rule.plain == nil })
}

// encoded says that a string here is base64.
func (r rules) encoded() bool {
	return slices.ContainsFunc(r, func(rule rule) bool { return len(rule.steps) == 0 && rule.encoded })
}

// content means all of an object but for what says which object it is.
func content(but ...string) rule {
	return rule{plain: append([]string{"apiVersion", "kind", "metadata"}, but...)}
}

// secrets are the rules for two versions of one object: what is secret in one is in the other.
func secrets(before, after *unstructured.Unstructured) rules {
	var r rules
	for _, u := range []*unstructured.Unstructured{before, after} {
		if u == nil {
			continue
		}
		if gvk := u.GroupVersionKind(); gvk.Group == "" && gvk.Kind == "Secret" {
			r = append(r, content("type", "immutable"), rule{steps: []step{{name: "data"}}, encoded: true})
		}
		r = append(r, marked(u)...)
	}
	if r == nil {
		return nil
	}
	return append(r, copies(r, before, after)...)
}

// marked are the rules of the annotation.
func marked(u *unstructured.Unstructured) rules {
	mark := strings.TrimSpace(annotations(u)[SensitiveAnnotation])
	switch strings.ToLower(mark) {
	case "", "false":
		return nil
	case "true", "yes", "on", "1":
		return rules{content()}
	}
	var r rules
	for _, path := range splitPaths(mark) {
		s, err := steps(path)
		if err != nil {
			return rules{content()}
		}
		r = append(r, rule{steps: s})
	}
	if r == nil { // only commas
		return rules{content()}
	}
	return r
}

// splitPaths cuts at commas, but not at those between quotes.
func splitPaths(list string) []string {
	quoted, escaped := false, false
	parts := strings.FieldsFunc(list, func(c rune) bool {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		}
		return c == ',' && !quoted
	})
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
