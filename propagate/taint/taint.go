// Package taint decides the taints of clusters: those of ClusterTaintPolicies (Karmada §1.7) and the automatic ones (Karmada §5.3).
package taint

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Apply returns the fleet, sorted by name, after ClusterTaintPolicies added and removed taints. The policies apply in
// the order of their names: Karmada uses their age, which objects in Git do not have. They neither add nor remove automatic taints.
func Apply(clusters []fleet.Cluster, policies []policy.TaintPolicy) []fleet.Cluster {
	clusters = slices.Clone(clusters)
	slices.SortFunc(clusters, func(a, b fleet.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	policies = slices.SortedFunc(slices.Values(policies), func(a, b policy.TaintPolicy) int { return cmp.Compare(a.Name, b.Name) })
	for i := range clusters {
		for _, t := range policies {
			clusters[i].Taints = after(clusters[i], t)
		}
	}
	return clusters
}

// after returns the taints of a cluster after one policy.
func after(c fleet.Cluster, t policy.TaintPolicy) []corev1.Taint {
	if t.Spec.TargetClusters != nil {
		if ok, _, _ := c.Matches(*t.Spec.TargetClusters); !ok {
			return c.Taints
		}
	}
	taints := slices.Clone(c.Taints)
	if holds(c.Conditions, t.Spec.AddOnConditions) {
		for _, add := range t.Spec.Taints {
			if IsAutomatic(add.Key) {
				continue
			}
			taints = append(without(taints, add), corev1.Taint{Key: add.Key, Value: add.Value, Effect: add.Effect})
		}
	}
	if holds(c.Conditions, t.Spec.RemoveOnConditions) {
		for _, remove := range t.Spec.Taints {
			if !IsAutomatic(remove.Key) {
				taints = without(taints, remove)
			}
		}
	}
	return taints
}

// without returns the taints that differ in key or effect.
func without(taints []corev1.Taint, t policy.PolicyTaint) []corev1.Taint {
	return slices.DeleteFunc(taints, func(have corev1.Taint) bool { return have.Key == t.Key && have.Effect == t.Effect })
}

// holds reports whether all requirements hold; false without requirements. A requirement about a condition that the
// cluster does not have fails.
func holds(conditions map[string]string, all []policy.ConditionMatch) bool {
	for _, m := range all {
		status, has := conditions[m.ConditionType]
		if !has || slices.Contains(m.StatusValues, status) != (m.Operator == "In") {
			return false
		}
	}
	return len(all) > 0
}
