package check

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

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
		"ServiceImports, which accord delivers as ordinary objects. `failover`, and the " +
		"`tolerationSeconds` of a toleration, would move workloads away from an unreachable cluster; in accord you commit such a " +
		"change. accord plans all objects at once, so `schedulePriority` has no queue to order. Spreading by label " +
		"(`spreadByLabel`) is not supported, and accord does not place such an object. accord does not report the tolerations that " +
		"Karmada adds to every policy.",
	Fix: "Write what the message suggests in place of a kind. Remove fields that should have no effect. To move workloads away " +
		"from a cluster, change the placement.",
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
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			for _, field := range unactedFields(p) {
				findings = append(findings, note(p.At(field), "", "%s: %s is not acted on", p.Title(), field))
			}
		}
		for i := range r.in.TaintPolicies {
			t := &r.in.TaintPolicies[i]
			for j, taint := range t.Spec.Taints {
				if field, missing := unacted.Taint(taint); field != "" {
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
	return o.ID.Kind == "ServiceImport" && r.byID()[manifest.ID{Kind: "Service", Namespace: o.ID.Namespace, Name: "derived-" + o.ID.Name}] != nil
}

// unactedFields returns the fields of a policy that are set and have no effect, except fields without effect by design.
func unactedFields(p *policy.Policy) []string {
	var fields []string
	if p.Spec.Failover != nil {
		fields = append(fields, "spec.failover")
	}
	if p.Spec.SchedulePriority != nil {
		fields = append(fields, "spec.schedulePriority")
	}
	for i, t := range p.Spec.Placement.ClusterTolerations {
		if t.TolerationSeconds != nil && !addedByKarmada(t) {
			fields = append(fields, fmt.Sprintf("spec.placement.clusterTolerations[%d].tolerationSeconds", i))
		}
	}
	for i, s := range p.Spec.Placement.SpreadConstraints {
		if s.SpreadByLabel != "" {
			fields = append(fields, fmt.Sprintf("spec.placement.spreadConstraints[%d].spreadByLabel", i))
		}
	}
	return fields
}

// addedByKarmada reports whether a toleration is one of the two that Karmada's webhook adds to every policy (Karmada
// §5.1).
func addedByKarmada(t corev1.Toleration) bool {
	return t.Key == "cluster.karmada.io/not-ready" || t.Key == "cluster.karmada.io/unreachable"
}
