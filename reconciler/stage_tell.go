package reconciler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/status"
)

// maxNamed is how many clusters one event names.
const maxNamed = 5

// tell is what the Release says of the rollouts.
func (c course) tell() []v1alpha1.RolloutStatus {
	var all []v1alpha1.RolloutStatus
	for _, name := range slices.Sorted(maps.Keys(c.outcomes)) {
		all = append(all, rolloutStatus(name, c.outcomes[name]))
	}
	return all
}

func rolloutStatus(name string, o stage.Outcome) v1alpha1.RolloutStatus {
	r := v1alpha1.RolloutStatus{
		Policy: name, ID: stage.ShortID(o.ID), Phase: string(o.Phase), Reason: o.Reason, Message: o.Message, Terminal: o.State.Failure != nil,
		Stage: o.Stage, StageIndex: int32(o.StageIndex), StartedAt: status.Time(o.State.StartedAt), CompletedAt: status.Time(o.State.CompletedAt), OutdatedClusters: o.OutdatedClusters,
	}
	for _, s := range o.Stages {
		r.Stages = append(r.Stages, v1alpha1.StageStatus{
			Name: s.Name, Clusters: int32(s.Clusters), UpdatedClusters: int32(s.Updated), Healthy: int32(s.Healthy), Failing: int32(s.Failing), Held: int32(s.Held),
			Unreachable: int32(s.Unreachable), StartedAt: status.Time(s.StartedAt), CompletedAt: status.Time(s.CompletedAt), Message: s.Message,
		})
	}
	if w := o.WaitingFor; w != nil {
		r.WaitingFor = &v1alpha1.WaitingFor{Cluster: w.Cluster, Stage: w.Stage, Message: w.Message, Since: status.Time(w.Since), Deadline: status.Time(w.Deadline)}
	}
	for _, d := range o.Decisions {
		if d.RollbackTo != nil && d.RollbackTo.Revision != "" && !slices.Contains(r.RollbackRevisions, d.RollbackTo.Revision) {
			r.RollbackRevisions = append(r.RollbackRevisions, d.RollbackTo.Revision)
		}
	}
	slices.Sort(r.RollbackRevisions)
	return r
}

// tellStages tells people what a decision changed: one event for all clusters of a stage to which the same happened. How
// many events there are about one Release is bounded, so who is healthy is left to the status.
func (e *engine) tellStages(about *v1alpha1.Release, c course) {
	for _, name := range slices.Sorted(maps.Keys(c.outcomes)) {
		events := slices.DeleteFunc(slices.Clone(c.outcomes[name].Events), func(x stage.Event) bool { return x.Kind == stage.ClusterHealthy })
		for i := 0; i < len(events); {
			first := events[i]
			var clusters []string
			for ; i < len(events) && together(first, events[i]); i++ {
				if events[i].Cluster != "" {
					clusters = append(clusters, events[i].Cluster)
				}
			}
			kind := normal
			switch first.Kind {
			case stage.RolloutHalted, stage.ClusterRolledBack, stage.ClusterDegraded:
				kind = warning
			}
			e.event(about, kind, string(first.Kind), sentence(name, first, clusters))
		}
	}
}

// together says that two events are told as one: the same of several clusters, or that a stage begins and who begins.
func together(first, next stage.Event) bool {
	return first.Stage == next.Stage && (first.Kind == next.Kind || first.Kind == stage.StageStarted && next.Kind == stage.ClusterUpdated)
}

// sentence is one event in words.
func sentence(name string, e stage.Event, clusters []string) string {
	text := "RolloutPolicy " + name
	if e.Stage != "" {
		text += ", stage " + e.Stage
	}
	did := map[stage.EventKind]string{
		stage.RolloutStarted: "a new version is wanted", stage.RolloutSuperseded: "a newer version is wanted, the order begins again", stage.StageStarted: "it has its turn, and the new version is given to %s",
		stage.ClusterUpdated: "%s: the new version is given", stage.ClusterHealthy: "%s: healthy on the new version", stage.ClusterDegraded: "%s: not healthy any more",
		stage.StageCompleted: "passed", stage.RolloutHalted: "stopped", stage.ClusterRolledBack: "%s: what was healthy before is given back", stage.RolloutResumed: "it is tried again",
		stage.RolloutCompleted: "every stage was left",
	}[e.Kind]
	if strings.Contains(did, "%s") {
		did = fmt.Sprintf(did, cmp.Or(listed(clusters, maxNamed), "nobody"))
	}
	if e.Message != "" {
		did += ": " + e.Message
	}
	return text + ": " + did
}
