package rehearsal

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
)

// Rollout is a staged rollout that begins with the rehearsal.
type Rollout struct {
	// Name of the RolloutPolicy.
	Name string
	// Input of its first decision: the clusters run the version before.
	Input stage.Input
	// Scenario has the events of the rollout beside the failures of the rehearsal.
	Scenario stage.Scenario
}

// arrival is a cluster that gets an object of a rollout by an eviction.
type arrival struct {
	moment  int // index
	cluster string
	plan    *propagate.Plan // with the eviction
}

// addVersions adds the version that each replacement of a staged object gets to the moments.
func (p *player) addVersions() {
	for _, r := range p.scenario.Rollouts {
		arrivals := p.arrivals(r.Name)
		if len(arrivals) == 0 {
			continue
		}
		steps := p.playRollout(r, arrivals)
		for _, a := range arrivals {
			m := &p.line.Moments[a.moment]
			last := steps[0]
			for _, s := range steps {
				if s.At <= m.At {
					last = s
				}
			}
			m.Terms = phrase.Reasons(m.Terms, version(r, a, last, m.Cluster))
		}
	}
}

// arrivals returns the clusters that evictions bring objects of a rollout to.
func (p *player) arrivals(rollout string) []arrival {
	var all []arrival
	for i, m := range p.line.Moments {
		plan := p.began[i]
		if plan == nil {
			continue
		}
		for _, c := range m.To {
			had := false
			for _, t := range plan.Evictions()[m.Objects[0]] {
				had = had || t.FromCluster == m.Cluster && slices.Contains(t.ClustersBeforeFailover, c.Name)
			}
			if r := plan.Rollout(c.Name, m.Objects[0], nil); r != nil && r.Name() == rollout && !had {
				all = append(all, arrival{i, c.Name, plan})
			}
		}
	}
	return all
}

// playRollout returns the decisions of a rollout while the clusters and the copies of the rehearsal fail. The clusters that evictions
// bring objects to are in the stages from the beginning.
func (p *player) playRollout(r Rollout, arrivals []arrival) []stage.Step {
	in, s := r.Input, r.Scenario
	in.Clusters, s.Faults = slices.Clone(in.Clusters), slices.Clone(s.Faults)
	for _, a := range arrivals {
		if !slices.ContainsFunc(in.Clusters, func(c stage.Cluster) bool { return c.Name == a.cluster }) {
			made := rolloutOf(a.plan, r.Name)
			in.Clusters = append(in.Clusters, stage.Cluster{Name: a.cluster, Wanted: made.Digest(a.cluster), Held: made.Held(a.cluster)})
		}
	}
	var names []string
	for _, c := range in.Clusters {
		names = append(names, c.Name)
	}
	in.Sequence = rolloutOf(arrivals[0].plan, r.Name).Sequence(names...)
	for _, f := range p.scenario.Failures {
		s.Faults = append(s.Faults, stage.ClusterFault{Cluster: f.Cluster, Kind: stage.FaultUnreachable, From: policy.Duration(f.From.String()), To: end(f.Until)})
	}
	for _, u := range p.scenario.Unhealthy {
		for _, name := range names {
			if made := arrivals[0].plan.Rollout(name, u.Object, nil); u.of(u.Object, name) && made != nil && made.Name() == r.Name {
				s.Faults = append(s.Faults, stage.ClusterFault{Cluster: name, Kind: stage.FaultFails, From: policy.Duration(u.From.String()), To: end(u.Until)})
			}
		}
	}
	s.Until = policy.Duration(p.scenario.For.String())
	var steps []stage.Step
	stage.Play(in, s, func(step stage.Step) { steps = append(steps, step) })
	return steps
}

func rolloutOf(plan *propagate.Plan, name string) *propagate.Rollout {
	all := plan.Rollouts()
	return all[slices.IndexFunc(all, func(r *propagate.Rollout) bool { return r.Name() == name })]
}

// version returns the version that a cluster gets of an object from another one, as a clause.
func version(r Rollout, a arrival, at stage.Step, from string) string {
	i := slices.IndexFunc(at.Outcome.Decisions, func(d stage.Decision) bool { return d.Cluster == a.cluster })
	d := at.Outcome.Decisions[i]
	revision := staged.MovedRevision(a.plan, r.Name, d, at.Outcome.State, r.Input.Revision)
	switch {
	case d.Held == "":
		return fmt.Sprintf("%s had its turn in rollout %s and gets the version of %s", a.cluster, r.Name, r.Input.Revision)
	case revision == "":
		return fmt.Sprintf("%s waits for its turn in rollout %s and gets nothing before it", a.cluster, r.Name)
	case d.RollbackTo != nil:
		return fmt.Sprintf("rollout %s is rolled back, and %s gets the version of %s", r.Name, a.cluster, revision)
	}
	return fmt.Sprintf("%s waits for its turn in rollout %s and gets the version of %s, which was healthy on %s", a.cluster, r.Name, revision, from)
}
