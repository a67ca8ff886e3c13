package hunk

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// rules are the paths to secret values, relative to a place in an object.
type rules []rule

type rule struct {
	steps []step
	// except are fields at the first step that the rule does not cover.
	except []string
	// encoded reports that strings are base64, as in the data of a Secret.
	encoded bool
}

// key returns the rules for a field of a map.
func (r rules) key(name string) rules {
	var on rules
	for _, rule := range r {
		switch {
		case len(rule.steps) == 0:
			if !slices.Contains(rule.except, name) {
				on = append(on, rule.below(0))
			}
		case !rule.steps[0].item && rule.steps[0].name == name:
			on = append(on, rule.below(1))
		}
	}
	return on
}

// item returns the rules for the items of a list.
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

// all reports whether everything at this place is secret.
func (r rules) all() bool {
	return slices.ContainsFunc(r, func(rule rule) bool { return len(rule.steps) == 0 && rule.except == nil })
}

// encoded reports whether a string at this place is base64.
func (r rules) encoded() bool {
	return slices.ContainsFunc(r, func(rule rule) bool { return len(rule.steps) == 0 && rule.encoded })
}

// contentRule covers an object except the fields that identify it.
func contentRule(but ...string) rule {
	return rule{except: append([]string{"apiVersion", "kind", "metadata"}, but...)}
}

// secretRules returns the rules for two versions of one object. A value that is secret in one version is secret in
// both.
func secretRules(before, after *unstructured.Unstructured) rules {
	var r rules
	for _, u := range []*unstructured.Unstructured{before, after} {
		if u == nil {
			continue
		}
		if manifest.IsSecretKind(u.GetAPIVersion(), u.GetKind()) {
			r = append(r, contentRule("type", "immutable"), rule{steps: []step{{name: "data"}}, encoded: true})
		}
		r = append(r, annotationRules(u)...)
	}
	if r == nil {
		return nil
	}
	return append(r, copyRules(r, before, after)...)
}

// annotationRules returns the rules of manifest.SensitiveAnnotation.
func annotationRules(u *unstructured.Unstructured) rules {
	mark := manifest.SensitiveMark(annotations(u))
	switch strings.ToLower(mark) {
	case "":
		return nil
	case "true", "yes", "on", "1":
		return rules{contentRule()}
	}
	var r rules
	for _, path := range splitPaths(mark) {
		s, err := parsePath(path)
		if err != nil {
			return rules{contentRule()}
		}
		r = append(r, rule{steps: s})
	}
	if r == nil { // only commas
		return rules{contentRule()}
	}
	return r
}

// splitPaths splits a list at commas outside quotes.
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
