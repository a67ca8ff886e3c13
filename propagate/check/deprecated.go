package check

import (
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var deprecated = Check{
	Code:     "deprecated",
	Severity: propagate.Note,
	Summary:  "a field in a deprecated form, which still works",
	Why: "accord accepts the deprecated form. Newer versions of Karmada reject some of these forms, and readers of the policy have " +
		"to know both.",
	Fix: "Use the new form that the message names.",
	Example: `
kind: OverridePolicy
metadata: {name: web, namespace: shop}
spec:
  targetCluster: {clusterNames: [eu]}          # one entry of overrideRules has both
  overriders:
    labelsOverrider: [{operator: add, value: {region: eu}}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			findings = append(findings, deprecatedFields(p.Meta, p.Title())...)
		}
		for _, o := range r.in.Overrides {
			findings = append(findings, deprecatedFields(o.Meta, o.Title())...)
		}
		return findings
	},
}

func deprecatedFields(m policy.Meta, title string) []propagate.Finding {
	var findings []propagate.Finding
	for _, d := range m.Deprecated {
		findings = append(findings, at(m.At(d.Field), instead(d), "%s: %s", title, d.Message))
	}
	return findings
}

// instead returns the new form if it has one line. A longer one contains the author's values, which may be secret.
func instead(d policy.Deprecation) string {
	text := strings.TrimSpace(d.Instead)
	switch {
	case text == "":
		return "remove " + d.Field
	case strings.Contains(text, "\n"):
		field, _, _ := strings.Cut(text, ":")
		return "move it into one entry of spec." + field
	}
	return "write " + text
}
