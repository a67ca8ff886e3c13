package rollout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
)

// namedClusters bounds the clusters that one event names.
const namedClusters = 5

// events returns the events of a decision: one for all clusters of a stage to which the same happened. The number of
// events about one Release is bounded, so healthy clusters are left to the status.
func events(about *v1alpha1.Release, d *rolloutrecord.Decision) []changes.Event {
	var all []changes.Event
	for _, name := range slices.Sorted(maps.Keys(d.Outcomes)) {
		open := slices.DeleteFunc(slices.Clone(d.Outcomes[name].Events), func(x stage.Event) bool { return x.Kind == stage.ClusterHealthy })
		for i := 0; i < len(open); {
			first := open[i]
			var clusters []string
			for ; i < len(open) && together(first, open[i]); i++ {
				if open[i].Cluster != "" {
					clusters = append(clusters, open[i].Cluster)
				}
			}
			kind := changes.Normal
			switch first.Kind {
			case stage.RolloutHalted, stage.ClusterRolledBack, stage.ClusterDegraded:
				kind = changes.Warning
			}
			all = append(all, changes.Event{About: about, Type: kind, Reason: string(first.Kind), Message: sentence(name, first, clusters)})
		}
	}
	return all
}

// together reports whether two events are emitted as one: the same of several clusters, or a stage that starts and the
// clusters that it updates first.
func together(first, next stage.Event) bool {
	return first.Stage == next.Stage && (first.Kind == next.Kind || first.Kind == stage.StageStarted && next.Kind == stage.ClusterUpdated)
}

// sentence returns the message of an event.
func sentence(name string, e stage.Event, clusters []string) string {
	text := "RolloutPolicy " + name
	if e.Stage != "" {
		text += ", stage " + e.Stage
	}
	did := map[stage.EventKind]string{
		stage.RolloutStarted: "a new version is wanted", stage.RolloutSuperseded: "a newer version is wanted, the rollout starts again",
		stage.StageStarted: "started, clusters updated to the new version: %s", stage.ClusterUpdated: "%s: updated to the new version",
		stage.ClusterHealthy: "%s: healthy on the new version", stage.ClusterDegraded: "%s: not healthy any more", stage.StageCompleted: "completed", stage.RolloutHalted: "halted",
		stage.ClusterRolledBack: "%s: rolled back to the last healthy version", stage.RolloutResumed: "resumed", stage.RolloutCompleted: "all stages are completed",
	}[e.Kind]
	if strings.Contains(did, "%s") {
		did = fmt.Sprintf(did, cmp.Or(phrase.First(clusters, namedClusters), "none"))
	}
	if e.Message != "" {
		did += ": " + e.Message
	}
	return text + ": " + did
}
