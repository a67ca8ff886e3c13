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

// Sequence is a RolloutPolicy with the clusters of its stages. It depends on the policy and the fleet only.
type Sequence struct {
	Policy *policy.Rollout
	// Stages in the order of the policy.
	Stages []Stage
	// Faults are the clusters that are not in exactly one stage. They are held.
	Faults []Fault
}

// Stage is a stage with its clusters.
type Stage struct {
	policy.RolloutStage
	// Clusters in the order in which they get a change.
	Clusters []string
	// Astray is the reason why no cluster that the stage names is in it; empty otherwise. Such a stage proves nothing, so the
	// rollout does not pass it. A stage that selects clusters by label may be empty: clusters may follow later.
	Astray string
}

// Fault is a cluster that is in no stage, or in more than one.
type Fault struct {
	Cluster string
	// Stages that select the cluster; none or several.
	Stages []string
	// At is the position of the field with the mistake.
	At      manifest.Origin
	Message string
}

// NewSequence assigns the clusters that get objects of the rollout (targets) to its stages. clusters may have more clusters
// than targets. A target that is not in clusters is in no stage.
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
		c.Stages[i].Astray = c.astray(i, len(targets) > 0)
	}
	return c
}

// astray returns the reason why none of the clusters that a stage names is in it. used reports whether the rollout has a
// cluster.
func (c *Sequence) astray(stage int, used bool) string {
	s := c.Stages[stage]
	if len(s.Clusters) > 0 || !used {
		return ""
	}
	for _, f := range c.Faults {
		if slices.Contains(f.Stages, s.Name) {
			return fmt.Sprintf("%s (%s)", f.Message, f.At)
		}
	}
	if s.ClusterAffinity == nil || len(s.ClusterAffinity.ClusterNames) == 0 {
		return ""
	}
	field := fmt.Sprintf("spec.stages[%d].clusterAffinity.clusterNames", stage)
	return fmt.Sprintf("no object of the rollout goes to %s (%s)", strings.Join(s.ClusterAffinity.ClusterNames, ", "), c.Policy.At(field))
}

// matching returns the indexes of the stages that select a cluster.
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

// fault returns the mistake about a cluster that is not in exactly one stage.
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

// sort sorts the clusters: those in first of the policy, then the others by name.
func (s *Stage) sort() {
	place := make(map[string]int, len(s.First))
	for i, name := range s.First {
		place[name] = i - len(s.First)
	}
	slices.SortFunc(s.Clusters, func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
}

// limit returns how many of n clusters of the stage may be in flight.
func (s *Stage) limit(n int) int { return max(1, s.MaxConcurrency.Of(n, n)) }
