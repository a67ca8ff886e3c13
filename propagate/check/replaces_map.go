package check

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

var replacesMap = Check{
	Code:     "replaces-map",
	Severity: propagate.Error,
	Summary:  "a plaintext add that replaces a whole map or list and loses existing entries",
	Why: "`add` at an existing key replaces its value (RFC 6902). A map of labels, annotations or a selector then has only the keys " +
		"of the override, and a list of containers or environment variables only its entries. For these the finding is an error, for " +
		"other maps and lists a warning. There is no finding for the operator `replace`.",
	Fix: "Add one key at a time, with its path (`/metadata/labels/team`), or use `labelsOverrider` and `annotationsOverrider`. For a list, add one " +
		"entry with the path `/-`. To replace the whole map or list, write `replace`.",
	Example: `
plaintext:
- {path: /metadata/labels, operator: add, value: {team: shop}}   # every other label is gone`,
	rendered: true,
	run: func(r *Review) []propagate.Finding {
		byField := r.overriders()
		var findings []propagate.Finding
		reported := map[string]bool{}
		for _, v := range r.variants() {
			if !v.adds(byField) {
				continue
			}
			for _, s := range r.trace(v) {
				key := s.Policy + " " + s.Field
				if e := byField[key]; len(s.Lost) > 0 && e.plaintext != nil && e.plaintext.Operator == "add" && !reported[key] {
					reported[key] = true
					findings = append(findings, loss(e, s, v))
				}
			}
		}
		return findings
	},
}

// adds reports whether a plaintext add of a map or a list was applied.
func (v *variant) adds(byField map[string]overrider) bool {
	for _, e := range v.edits() {
		p := byField[e.Policy+" "+e.Field].plaintext
		if p == nil || p.Operator != "add" || p.Value == nil {
			continue
		}
		if value := strings.TrimSpace(string(p.Value.Raw)); strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
			return true
		}
	}
	return false
}

func loss(e overrider, s override.Step, v *variant) propagate.Finding {
	fix := fmt.Sprintf("add each key with its own path, %s/<key>", s.Path)
	switch s.Path {
	case "/metadata/labels":
		fix = "use labelsOverrider"
	case "/metadata/annotations":
		fix = "use annotationsOverrider"
	}
	whole, part := "map", "key"
	if _, list := s.Before.([]any); list {
		whole, part, fix = "list", "entry", fmt.Sprintf("add each entry with the path %s/-", s.Path)
	}
	f := at(s.At, fix, "%s: plaintext add %s replaces a %s of %s and loses %s: %s",
		e.title, s.Path, whole, short(v.id), phrase.Count(len(s.Lost), part), phrase.And(s.Lost, named))
	switch s.Path[strings.LastIndexByte(s.Path, '/')+1:] {
	case "labels", "annotations", "matchLabels", "selector", "containers", "env":
	default:
		f.Severity = propagate.Warning
	}
	return f
}
