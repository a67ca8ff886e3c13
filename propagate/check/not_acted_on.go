package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/unacted"
)

// NotActedOn is the code of findings about parts without effect: warnings about objects, notes about fields.
const NotActedOn = "not-acted-on"

var notActedOn = Check{
	Code:     NotActedOn,
	Severity: propagate.Warning,
	Summary:  "a field or a kind that is accepted and has no effect in this version",
	Why: "accord accepts repositories written for Karmada and reports the parts without effect. A kind that only Karmada's " +
		"controllers act on is a warning: the message has the consequence, and the page about " +
		"policies lists them all. A field is a note, and so are ServiceExports and " +
		"ServiceImports, which accord delivers as ordinary objects. `failover`, the `tolerationSeconds` of a toleration and the taint " +
		"NoExecute move workloads only if the Federation enables failover, and the last two only for a policy with " +
		"`failover.cluster`. accord plans all objects at once, so `schedulePriority` has no queue to order. Spreading by label " +
		"(`spreadByLabel`) is not supported, and accord does not place such an object. accord does not report the tolerations that " +
		"Karmada adds to every policy.",
	Fix: "Write what the message suggests in place of a kind. Remove fields that should have no effect. Set `failover.enabled` in the " +
		"spec of the Federation to let accord move workloads away from a cluster that failed.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  failover:
    cluster: {purgeMode: Gracefully}`,
	reads: func(r *Review, o *object) string {
		f, _ := r.unacted(o)
		return fmt.Sprint(f)
	},
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			for _, f := range unacted.Fields(p, r.in.Failover) {
				findings = append(findings, note(p.At(f.Path), "", "%s: %s is not acted on%s", p.Title(), f.Path, f.Why))
			}
		}
		for i := range r.in.TaintPolicies {
			t := &r.in.TaintPolicies[i]
			for j, taint := range t.Spec.Taints {
				if field, missing := unacted.Taint(taint, r.in.Failover); field != "" {
					findings = append(findings, note(t.At(fmt.Sprintf("spec.taints[%d].%s", j, field)), "", "%s: %s", t.Title(), missing))
				}
			}
		}
		for _, o := range r.objects {
			if f, found := r.unacted(o); found {
				findings = append(findings, f)
			}
		}
		return findings
	},
}

// unacted returns the finding about an object that Karmada acts on and accord does not.
func (r *Review) unacted(o *object) (f propagate.Finding, found bool) {
	missing, instead, known := unacted.Effect(o.ID, o.manifest)
	switch {
	case !known, r.providesImported(o):
		return f, false
	case policy.Configures(o.ID.Group):
		return at(o.Origin, instead, "%s is not acted on: %s", o.ID, missing), true
	}
	return note(o.Origin, instead, "%s is delivered as an ordinary object and not acted on: %s", o.ID, missing), true
}

// providesImported reports whether the Service that Karmada creates for a ServiceImport is in Git.
func (r *Review) providesImported(o *object) bool {
	return o.ID.Kind == "ServiceImport" && r.object(manifest.ID{Kind: "Service", Namespace: o.ID.Namespace, Name: "derived-" + o.ID.Name}) != nil
}
