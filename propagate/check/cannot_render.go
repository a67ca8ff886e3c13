package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var cannotRender = Check{
	Code:     "cannot-render",
	Severity: propagate.Error,
	Summary:  "an override that fails: its path does not exist in the object, or in one of the selected kinds",
	Why: "accord does not deliver the object to the clusters in the message; existing objects stay unchanged there. A policy that " +
		"selects two kinds applies every rule to both, and a path of one kind rarely exists in the other. JSON Patch does not " +
		"create parents.",
	Fix: "Select the kind that has the path in a policy of its own. For labels and annotations use `labelsOverrider` and " +
		"`annotationsOverrider`, which create missing maps. Elsewhere add the parent first, as `{}` or `[]`.",
	Example: `
kind: OverridePolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: v1, kind: Service}             # has no spec.replicas
  overrideRules:
  - overriders:
      plaintext: [{path: /spec/replicas, operator: replace, value: 3}]`,
	rendered: true,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		byPlace := map[manifest.Origin][]*variant{}
		for _, v := range r.variants() {
			if v.failure != nil {
				place, _ := mistakeOf(v)
				byPlace[place] = append(byPlace[place], v)
			}
		}
		for place, failed := range byPlace { // Run sorts
			findings = append(findings, r.unrendered(place, failed))
		}
		return findings
	},
}

// unrendered returns the finding about all failures with one origin.
func (r *Review) unrendered(place manifest.Origin, failed []*variant) propagate.Finding {
	_, message := mistakeOf(failed[0])
	others := map[manifest.ID]bool{}
	for _, v := range failed[1:] {
		if v.id != failed[0].id {
			others[v.id] = true
		}
	}
	if !strings.Contains(message, short(failed[0].id)) {
		message = short(failed[0].id) + ": " + message
	}
	where := failed[0].on()
	if len(others) > 0 {
		where += ", and for " + phrase.Count(len(others), "more object")
	}
	return at(place, r.worksElsewhere(failed), "%s (%s)", message, where)
}

// worksElsewhere returns advice when the failing override works for other kinds that it selects.
func (r *Review) worksElsewhere(failed []*variant) string {
	place, _ := mistakeOf(failed[0])
	for _, o := range r.in.Overrides {
		at := false
		eachOverrider(o, func(e overrider) { at = at || o.At(e.field) == place })
		if !at {
			continue
		}
		bad, good := []string{}, []string{}
		for _, v := range failed {
			bad = append(bad, v.id.Kind)
		}
		for _, it := range r.overridden(o) {
			if len(it.Chosen) > 0 && !slices.Contains(bad, it.ID.Kind) && !slices.Contains(good, it.ID.Kind) {
				good = append(good, it.ID.Kind)
			}
		}
		if len(good) > 0 {
			slices.Sort(bad)
			return fmt.Sprintf("it works for %s: select %s in a separate policy", phrase.And(good, named), phrase.And(slices.Compact(bad), named))
		}
	}
	return ""
}

// mistakeOf returns the origin and the message of a failure.
func mistakeOf(v *variant) (place manifest.Origin, message string) {
	place, message = v.failure.Origin, v.failure.Err.Error()
	if m, ok := errors.AsType[*manifest.Error](v.failure.Err); ok {
		place, message = m.Origin, m.Message
	}
	return place, message
}
