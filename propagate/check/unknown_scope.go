package check

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var unknownScope = Check{
	Code:     "unknown-scope",
	Severity: propagate.Warning,
	Summary:  "an object without a namespace whose kind may have one",
	Why: "accord knows from three sources whether a kind has a namespace: its own list of widely used kinds, the " +
		"CustomResourceDefinitions in Git, and `status.apiEnablements` of the Clusters. Otherwise accord adds no namespace, and only a " +
		"cluster-wide policy can claim the object. If the kind has a namespace, the members refuse the object.",
	Fix: "Write `metadata.namespace` if the kind has a namespace. If it has none, commit its CustomResourceDefinition, or plan with a " +
		"hub: its clusters list the scope.",
	Example: `
apiVersion: example.com/v1
kind: Widget                                 # and its CustomResourceDefinition is not in Git
metadata: {name: web}`,
	reads: func(_ *Review, o *object) string {
		if !o.ScopeUnknown {
			return ""
		}
		return o.Origin.String()
	},
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, o := range r.objects {
			if o.ScopeUnknown {
				findings = append(findings, at(o.Origin, fmt.Sprintf("write metadata.namespace, or commit the CustomResourceDefinition of %s", o.ID.Kind),
					"%s: %s", o.ID, o.ScopeDoubt()))
			}
		}
		return findings
	},
}
