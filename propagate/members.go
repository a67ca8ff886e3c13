package propagate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/taint"
)

// members are the clusters that a plan decides about.
type members struct {
	all   []fleet.Cluster // sorted by name, with the taints after ClusterTaintPolicies
	index map[string]int  // of all, by name
	// unhealthy is set if a cluster has an automatic taint.
	unhealthy bool
	holds     map[string]string // reasons of people who hold a cluster, by name; nil without holds
}

func newMembers(in Input) members {
	m := members{all: taint.Apply(in.Fleet, in.TaintPolicies), index: map[string]int{}}
	for i, c := range m.all {
		m.index[c.Name] = i
		m.unhealthy = m.unhealthy || slices.ContainsFunc(c.Taints, func(t corev1.Taint) bool { return taint.IsAutomatic(t.Key) })
	}
	m.holds = fleet.Holds(m.all, in.Now)
	return m
}

// Clusters returns the names of the whole fleet, sorted.
func (p *Plan) Clusters() []string {
	names := make([]string, len(p.members.all))
	for i, c := range p.members.all {
		names[i] = c.Name
	}
	return names
}

// Fleet returns all clusters, sorted by name, with the taints after ClusterTaintPolicies. The caller must not change
// it.
func (p *Plan) Fleet() []fleet.Cluster { return p.members.all }

// Taints returns the taints of every cluster: those of the Cluster, after ClusterTaintPolicies added and removed theirs
// (Karmada §1.7).
func (p *Plan) Taints() map[string][]corev1.Taint {
	taints := make(map[string][]corev1.Taint, len(p.members.all))
	for _, c := range p.members.all {
		taints[c.Name] = c.Taints
	}
	return taints
}
