package propagate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/taint"
)

// members are the clusters that a plan decides about.
type members struct {
	all   []fleet.Cluster   // sorted by name, with the taints after ClusterTaintPolicies
	index map[string]int    // of all, by name
	holds map[string]string // reasons of people who hold a cluster, by name; nil without holds
}

func newMembers(in Input) members {
	m := members{all: taint.Apply(in.Fleet, in.TaintPolicies), index: map[string]int{}}
	for i, c := range m.all {
		m.index[c.Name] = i
	}
	m.holds = fleet.Holds(m.all, in.Now)
	return m
}

// refuseAll refuses every cluster for one reason.
func (m members) refuseAll(d *Decision, why string, at manifest.Origin) {
	d.Refused = make([]Refusal, len(m.all))
	for i, c := range m.all {
		d.Refused[i] = Refusal{Cluster: c.Name, Why: why, At: at}
	}
}

// refuseRest returns the refusals of all clusters that were not chosen: each with its own reason, or with why.
func (m members) refuseRest(chosen []Choice, refused []Refusal, why string, at manifest.Origin, reason place.Reason) []Refusal {
	known := map[string]Refusal{}
	for _, r := range refused {
		known[r.Cluster] = r
	}
	on := map[string]bool{}
	for _, c := range chosen {
		on[c.Cluster] = true
	}
	var all []Refusal
	for _, c := range m.all {
		if r, has := known[c.Name]; has && !on[c.Name] {
			all = append(all, r)
		} else if !on[c.Name] {
			all = append(all, Refusal{c.Name, why, at, reason})
		}
	}
	return all
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
