package check

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var noReplicas = Check{
	Code:     "no-replicas",
	Severity: propagate.Warning,
	Summary:  "a policy that divides replicas and claims no object with replicas",
	Why: "accord divides only kinds with a replica count: Deployments, StatefulSets, ReplicaSets, Jobs, Pods. Any other object goes " +
		"whole to every cluster that fits, so the division and its weights have no effect. There is no finding for a Service beside " +
		"a Deployment.",
	Fix: "Remove `replicaScheduling`, or let another policy select the workload. For a custom kind with replicas, write a " +
		"ResourceInterpreterCustomization with `replicaResource` and `replicaRevision`.",
	Example: `
kind: PropagationPolicy
metadata: {name: agent, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: DaemonSet, name: agent}]
  placement:
    replicaScheduling: {replicaSchedulingType: Divided}`,
	reads: func(r *Review, o *object) string { return fmt.Sprint(r.counted(o), r.knowsReplicas(o)) },
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			s, won := p.Spec.Placement.ReplicaScheduling, r.won()[p.Title()]
			if s == nil || s.ReplicaSchedulingType != policy.Divided || len(won) == 0 || slices.ContainsFunc(won, r.counted) {
				continue
			}
			fix, count := "remove spec.placement.replicaScheduling", "no replica count"
			if slices.ContainsFunc(won, func(o *object) bool { return !r.knowsReplicas(o) }) {
				fix, count = "write a ResourceInterpreterCustomization with replicaResource and replicaRevision for the kind", "replicas in a form that accord does not know"
			}
			findings = append(findings, at(p.At("spec.placement.replicaScheduling"), fix,
				"%s divides replicas, and %s has %s: it goes whole to every cluster that fits", p.Title(), some(won), count))
		}
		return findings
	},
}

// knowsReplicas reports whether accord knows where the kind of the object has its replicas, or the object has no
// spec.replicas.
func (r *Review) knowsReplicas(o *object) bool {
	_, found, _ := unstructured.NestedFieldNoCopy(o.manifest.Get().Object, "spec", "replicas")
	return !found || r.plan.Kind(o.ID.GroupKind()).Replicas != nil
}

// counted reports whether the object has a count of replicas.
func (r *Review) counted(o *object) bool {
	k := r.plan.Kind(o.ID.GroupKind())
	if k.Replicas == nil {
		return false
	}
	_, ok := k.Replicas(o.manifest.Get())
	return ok
}
