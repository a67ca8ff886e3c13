package stage

import (
	"maps"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// world is the state of a simulation.
type world struct {
	in        Input
	scenario  Scenario
	start     time.Time
	clusters  map[string]*simulated
	last      Outcome
	approvals map[policy.Command]time.Duration // the first time at which an approval was needed
	commands  []policy.Command
	handled   int // of scenario.Commands
	commits   int // of scenario.Commits
}

// simulated is one cluster.
type simulated struct {
	runs  Version
	since time.Duration
	given bool // by the rollout; false for a version that was there before
	first Cluster
}

func newWorld(in Input, s Scenario) *world {
	w := &world{in: in, scenario: s, start: in.Now, clusters: map[string]*simulated{}, approvals: map[policy.Command]time.Duration{}, commands: slices.Clone(in.Commands)}
	w.in.Clusters = slices.Clone(in.Clusters)
	for _, c := range in.Clusters {
		w.clusters[c.Name] = &simulated{runs: Version{c.Report.Digest, c.Report.Revision}, first: c}
	}
	slices.SortStableFunc(w.scenario.Commits, func(a, b Commit) int { return int(a.At.Length() - b.At.Length()) })
	slices.SortStableFunc(w.scenario.Commands, func(a, b TimedCommand) int { return int(a.At.Length() - b.At.Length()) })
	return w
}

// step calls Decide for the world at a time.
func (w *world) step(at time.Duration) Step {
	w.in.Now = w.start.Add(at)
	for ; w.commits < len(w.scenario.Commits) && w.scenario.Commits[w.commits].At.Length() <= at; w.commits++ {
		w.commit(w.scenario.Commits[w.commits])
	}
	for i := range w.in.Clusters {
		w.report(&w.in.Clusters[i], at)
	}
	w.command(at)
	in := w.in
	in.Clusters, in.Commands = slices.Clone(w.in.Clusters), slices.Clone(w.commands)
	w.last = Decide(in)
	w.ask(at)
	w.in.Previous = w.last.State
	return Step{At: at, Input: in, Outcome: w.last}
}

func (w *world) commit(c Commit) {
	w.in.Revision = c.Revision
	for i := range w.in.Clusters {
		if wanted, ok := c.Wanted[w.in.Clusters[i].Name]; ok {
			w.in.Clusters[i].Wanted = wanted
		}
	}
}

// command adds the commands that are due. They are about the rollout of the previous decision.
func (w *world) command(at time.Duration) {
	for ; w.handled < len(w.scenario.Commands) && w.last.ID != "" && w.scenario.Commands[w.handled].At.Length() <= at; w.handled++ {
		o := w.scenario.Commands[w.handled]
		w.commands = append(w.commands, policy.Command{Do: o.Do, RolloutID: w.last.ID, Stage: o.Stage})
	}
	for approval, since := range w.approvals {
		if at >= since+w.scenario.ApproveAfter.Length() && !slices.Contains(w.commands, approval) {
			w.commands = append(w.commands, approval)
		}
	}
}

// ask records the time from which an approval is needed, if somebody will approve.
func (w *world) ask(at time.Duration) {
	if w.scenario.ApproveAfter == "" || w.last.Phase != WaitingForApproval {
		return
	}
	approval := policy.Command{Do: policy.CommandApprove, RolloutID: w.last.ID, Stage: w.last.Stage}
	if _, approvals := w.approvals[approval]; !approvals {
		w.approvals[approval] = at
	}
}

// report sets the report of a cluster at a time.
func (w *world) report(c *Cluster, at time.Duration) {
	it := w.clusters[c.Name]
	c.Held, c.Unreachable = it.first.Held, it.first.Unreachable
	for _, t := range w.faults(c.Name, at) {
		switch t.Kind {
		case FaultUnreachable:
			c.Unreachable = "unreachable in this scenario"
		case FaultHeld:
			c.Held = "held in this scenario"
		}
	}
	if !it.given {
		c.Report = it.first.Report
		return
	}
	c.Report = w.health(c.Name, it, at)
	c.Report.Digest, c.Report.Revision = it.runs.Digest, it.runs.Revision
	answer := Answer{State: c.Report.Health}
	for _, t := range w.faults(c.Name, at) {
		if t.Kind == FaultRefuses && t.of(it.runs) {
			answer = Answer{State: Failed, Message: "rejected in this scenario"}
		}
	}
	c.Report.Answers = map[Question]Answer{}
	for _, s := range w.in.Sequence.Stages {
		for _, q := range Questions(s.Gate) {
			c.Report.Answers[q] = answer
		}
	}
}

// health returns the health of a cluster: it recovers with a delay after an update and after each fault.
func (w *world) health(name string, it *simulated, at time.Duration) Report {
	from := it.since
	for _, t := range w.scenario.Faults {
		if t.Cluster != name || t.Kind != FaultFails && t.Kind != FaultStalls || !t.of(it.runs) {
			continue
		}
		if t.during(at) {
			state := Failed
			if t.Kind == FaultStalls {
				state = Stalled
			}
			return Report{Health: state, Since: w.start.Add(max(it.since, t.From.Length())), Message: "fails in this scenario"}
		}
		if t.To != "" && t.To.Length() <= at {
			from = max(from, t.To.Length())
		}
	}
	healthy := from + w.scenario.HealthyAfter.Length()
	if at < healthy {
		return Report{Health: Progressing, Since: w.start.Add(from)}
	}
	return Report{Health: Healthy, Since: w.start.Add(healthy)}
}

func (w *world) faults(cluster string, at time.Duration) []ClusterFault {
	var now []ClusterFault
	for _, t := range w.scenario.Faults {
		if t.Cluster == cluster && t.during(at) {
			now = append(now, t)
		}
	}
	return now
}

// deliver applies the decisions to the reachable clusters, and reports whether anything changed.
func (w *world) deliver(step Step) bool {
	changed := false
	for i, d := range step.Outcome.Decisions {
		c := w.in.Clusters[w.position(d.Cluster, i)]
		it := w.clusters[d.Cluster]
		runs := it.runs
		switch {
		case d.RollbackTo != nil:
			runs = *d.RollbackTo
		case d.Held == "":
			runs = step.Outcome.State.Clusters[d.Cluster].Current
		}
		if c.Unreachable == "" && runs.Digest != it.runs.Digest {
			it.runs, it.since, it.given, changed = runs, step.At, true, true
		}
	}
	return changed || len(step.Outcome.Events) > 0
}

// position returns the index of a cluster in the input, which is i if the input is sorted.
func (w *world) position(name string, i int) int {
	if w.in.Clusters[i].Name == name {
		return i
	}
	return slices.IndexFunc(w.in.Clusters, func(c Cluster) bool { return c.Name == name })
}

// next returns the next time at which something can change.
func (w *world) next(at time.Duration) (time.Duration, bool) {
	times := w.scenario.instants()
	for _, name := range slices.Sorted(maps.Keys(w.clusters)) {
		healthy := w.scenario.HealthyAfter.Length()
		if it := w.clusters[name]; it.given {
			times = append(times, it.since+healthy)
		}
		for _, t := range w.scenario.Faults {
			if t.Cluster == name && t.To != "" {
				times = append(times, t.To.Length()+healthy)
			}
		}
	}
	if !w.last.RequeueAt.IsZero() {
		times = append(times, w.last.RequeueAt.Sub(w.start))
	}
	for _, since := range w.approvals {
		times = append(times, since+w.scenario.ApproveAfter.Length())
	}
	var next time.Duration
	found := false
	for _, t := range times {
		if t > at && t <= w.scenario.end() && (!found || t < next) {
			next, found = t, true
		}
	}
	return next, found
}
