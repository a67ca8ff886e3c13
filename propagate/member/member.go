// Package member has the clusters that a plan decides about.
package member

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/taint"
)

// Members are the clusters of a plan. They never change.
type Members struct {
	All   []fleet.Cluster // sorted by name, with the taints after ClusterTaintPolicies
	Index map[string]int  // of All, by name
	// Unhealthy is set if a cluster has an automatic taint.
	Unhealthy bool
	Holds     map[string]string // reasons of people who hold a cluster, by name; nil without holds
}

// New returns the members of a fleet. A hold that has expired at now does not count.
func New(clusters []fleet.Cluster, policies []policy.TaintPolicy, now time.Time) Members {
	m := Members{All: taint.Apply(clusters, policies), Index: map[string]int{}}
	for i, c := range m.All {
		m.Index[c.Name] = i
		m.Unhealthy = m.Unhealthy || slices.ContainsFunc(c.Taints, func(t corev1.Taint) bool { return taint.IsAutomatic(t.Key) })
	}
	m.Holds = fleet.Holds(m.All, now)
	return m
}

// Taints returns the taints of every cluster, after ClusterTaintPolicies added and removed theirs (Karmada §1.7).
func (m Members) Taints() map[string][]corev1.Taint {
	taints := make(map[string][]corev1.Taint, len(m.All))
	for _, c := range m.All {
		taints[c.Name] = c.Taints
	}
	return taints
}

// Names returns the names of all clusters, sorted.
func (m Members) Names() []string {
	names := make([]string, len(m.All))
	for i, c := range m.All {
		names[i] = c.Name
	}
	return names
}
