package check

import (
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var deprecated = Check{
	Code:     "deprecated",
	Severity: propagate.Note,
	Summary:  "a field in an old form, which is still understood",
	Why:      "The old form works here. Newer versions of Karmada refuse some of them, and who reads the policy has to know both forms.",
	Fix:      "The message has the new form.",
	Example: `
kind: OverridePolicy
metadata: {name: web, namespace: shop}
spec:
  targetCluster: {clusterNames: [eu]}          # one entry of overrideRules has both
  overriders:
    labelsOverrider: [{operator: add, value: {region: eu}}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			found = append(found, old(r.in.Policies[i].Meta, r.in.Policies[i].Title())...)
		}
		for i := range r.in.Overrides {
			found = append(found, old(r.in.Overrides[i].Meta, r.in.Overrides[i].Title())...)
		}
		return found
	},
}

func old(m policy.Meta, title string) []propagate.Finding {
	var found []propagate.Finding
	for _, d := range m.Deprecated {
		found = append(found, at(m.At(d.Field), instead(d), "%s: %s", title, d.Message))
	}
	return found
}

// instead is the new form if it has one line. A longer one has the author's values in it, which may be secret.
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
