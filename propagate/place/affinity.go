package place

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// affinity refuses a cluster outside clusterAffinity, or the current term of clusterAffinities; without either, every
// cluster passes. A workload may also go to an overflow affinity of the term (Karmada §2.3, §4.2).
func affinity(q Question, c fleet.Cluster) (why, field string) {
	primary, path := q.primary()
	if primary == nil {
		return "", ""
	}
	ok, why, field := c.Matches(*primary)
	if ok || q.overflow(c) > 0 {
		return "", ""
	}
	if n := len(q.overflows()); n > 0 {
		why += fmt.Sprintf(", and none of %d overflowAffinities matches", n)
	}
	return why, path + "." + field
}

// FirstTerm returns the affinityName of the first term of clusterAffinities that selects a cluster, empty without terms. It reports false
// if no affinity selects the cluster, or the Cluster is being deleted.
func FirstTerm(p policy.Placement, c fleet.Cluster) (name string, ok bool) {
	for term := range max(1, len(p.ClusterAffinities)) {
		if why, _ := affinity(Question{Placement: p, Term: term, Workload: true}, c); why != "" {
			continue
		}
		if len(p.ClusterAffinities) > 0 {
			name = p.ClusterAffinities[term].AffinityName
		}
		return name, !c.Leaving
	}
	return "", false
}

// Tier returns 0 for a cluster of the primary affinity, and 1 and up for one of the overflow affinities of the term in
// their order; the first that matches counts (Karmada §4.8). It is valid for clusters that are not refused.
func (q Question) Tier(c fleet.Cluster) int {
	primary, _ := q.primary()
	if primary == nil {
		return 0
	}
	if ok, _, _ := c.Matches(*primary); ok {
		return 0
	}
	return q.overflow(c)
}

// Tiers returns the names of the affinities that Tier counts; nil without clusterAffinities.
func (q Question) Tiers() []string {
	if len(q.Placement.ClusterAffinities) == 0 {
		return nil
	}
	term := q.Placement.ClusterAffinities[q.Term]
	names := []string{term.AffinityName}
	for _, o := range term.OverflowAffinities {
		names = append(names, o.AffinityName)
	}
	return names
}

// primary returns the current affinity, with its path below spec.placement; nil when the policy has none.
func (q Question) primary() (a *policy.ClusterAffinity, path string) {
	if len(q.Placement.ClusterAffinities) > 0 {
		return &q.Placement.ClusterAffinities[q.Term].ClusterAffinity, fmt.Sprintf("clusterAffinities[%d]", q.Term)
	}
	return q.Placement.ClusterAffinity, "clusterAffinity"
}

// overflows returns the overflow affinities of the term; an object without replicas cannot overflow (Karmada §4.2).
func (q Question) overflows() []policy.OverflowAffinity {
	if !q.Workload || len(q.Placement.ClusterAffinities) == 0 {
		return nil
	}
	return q.Placement.ClusterAffinities[q.Term].OverflowAffinities
}

// overflow returns the first overflow affinity that matches, counted from 1; 0 when none does.
func (q Question) overflow(c fleet.Cluster) int {
	for i, o := range q.overflows() {
		if ok, _, _ := c.Matches(o.ClusterAffinity); ok {
			return i + 1
		}
	}
	return 0
}
