package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Sequence is a RolloutPolicy with the clusters that its stages have. It is made once for a policy and a fleet.
type Sequence struct {
	Policy *policy.Rollout
	// Stages as the policy has them.
	Stages []Stage
	// Faults are why the policy is no plan for these clusters. Those that they name are held.
	Faults []Fault
}

// Stage is a stage with its clusters.
type Stage struct {
	policy.RolloutStage
	// Clusters in the order in which they get a change.
	Clusters []string
}

// Fault is a cluster that is in no stage, or in more than one.
type Fault struct {
	Cluster string
	// Stages it is in; none or several.
	Stages []string
	// At is the field to look at.
	At      manifest.Origin
	Message string
}

// NewSequence sorts the clusters that objects of the rollout go to into its stages. The fleet may have more clusters than
// targets; a target that it does not have is in no stage.
func NewSequence(p *policy.Rollout, clusters []fleet.Cluster, targets []string) Sequence {
	c := Sequence{Policy: p, Stages: make([]Stage, len(p.Spec.Stages))}
	for i, s := range p.Spec.Stages {
		c.Stages[i].RolloutStage = s
	}
	known := make(map[string]fleet.Cluster, len(clusters))
	for _, cluster := range clusters {
		known[cluster.Name] = cluster
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(targets))) {
		cluster, there := known[name]
		in := c.matching(cluster, there)
		if len(in) != 1 {
			c.Faults = append(c.Faults, c.fault(name, in))
			continue
		}
		c.Stages[in[0]].Clusters = append(c.Stages[in[0]].Clusters, name)
	}
	for i := range c.Stages {
		c.Stages[i].sort()
	}
	return c
}

// matching are the indexes of the stages that select a cluster.
func (c *Sequence) matching(cluster fleet.Cluster, there bool) []int {
	var in []int
	for i, s := range c.Stages {
		if !there {
			continue
		}
		if s.ClusterAffinity == nil {
			in = append(in, i)
		} else if ok, _, _ := cluster.Matches(*s.ClusterAffinity); ok {
			in = append(in, i)
		}
	}
	return in
}

// fault is the mistake about a cluster that is not in exactly one stage.
func (c *Sequence) fault(cluster string, in []int) Fault {
	if len(in) == 0 {
		return Fault{Cluster: cluster, At: c.Policy.At("spec.stages"), Message: fmt.Sprintf("cluster %s is in no stage", cluster)}
	}
	f := Fault{Cluster: cluster, At: c.Policy.At(fmt.Sprintf("spec.stages[%d]", in[1]))}
	for _, i := range in {
		f.Stages = append(f.Stages, c.Stages[i].Name)
	}
	f.Message = fmt.Sprintf("cluster %s is in %d stages: %s", cluster, len(in), strings.Join(f.Stages, ", "))
	return f
}

// sort orders the clusters: those that the policy names first, the others by name.
func (s *Stage) sort() {
	place := make(map[string]int, len(s.First))
	for i, name := range s.First {
		place[name] = i - len(s.First)
	}
	slices.SortFunc(s.Clusters, func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
}

// limit is how many of n clusters of the stage may be in flight.
func (s *Stage) limit(n int) int { return max(1, s.MaxConcurrency.Of(n, n)) }
