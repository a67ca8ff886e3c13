package stage

import (
	"fmt"
	"strings"
	"time"

	"github.com/accord-dev/accord/internal/phrase"
)

// namedClusters is the number of clusters that a line names before it counts the others.
const namedClusters = 5

// Timeline is the result of a simulation.
type Timeline struct {
	Moments []Moment
	// Last is the outcome at the end.
	Last Outcome
	// Lasted is the simulated duration.
	Lasted time.Duration
}

// Moment is one event of a simulation, about one or several clusters.
type Moment struct {
	At       time.Duration
	Event    EventKind // empty: the phase changed
	Phase    Phase
	Stage    string
	Clusters []string
	Message  string
}

// add appends the changes of a step. The same event of several clusters of a stage is one moment.
func (t *Timeline) add(s Step) {
	for _, e := range s.Outcome.Events {
		if n := len(t.Moments); e.Cluster != "" && n > 0 {
			last := &t.Moments[n-1]
			if last.At == s.At && last.Event == e.Kind && last.Stage == e.Stage && last.Message == e.Message {
				last.Clusters = append(last.Clusters, e.Cluster)
				continue
			}
		}
		moment := Moment{At: s.At, Event: e.Kind, Phase: s.Outcome.Phase, Stage: e.Stage, Message: e.Message}
		if e.Cluster != "" {
			moment.Clusters = []string{e.Cluster}
		}
		t.Moments = append(t.Moments, moment)
	}
	o := s.Outcome
	switch {
	case o.Phase == t.Last.Phase, o.Phase == Complete, o.Phase == Rolling:
	case o.Phase == Halted && o.State.Failure != nil: // an event reports it
	default:
		t.Moments = append(t.Moments, Moment{At: s.At, Phase: o.Phase, Stage: o.Stage, Message: o.Message})
	}
	t.Last = o
}

// String returns the timeline with one line per moment and the final phase in the last line.
func (t Timeline) String() string {
	var b strings.Builder
	for _, m := range t.Moments {
		fmt.Fprintf(&b, "%-9s %-10s %s\n", phrase.Duration(m.At), m.Stage, m.sentence())
	}
	fmt.Fprintf(&b, "%-9s %-10s %s", phrase.Duration(t.Lasted), "end", t.Last.Phase)
	if t.Last.Message != "" && t.Last.Phase != Complete {
		fmt.Fprintf(&b, ": %s", t.Last.Message)
	}
	if len(t.Last.OutdatedClusters) > 0 {
		fmt.Fprintf(&b, ", without %s", phrase.List(t.Last.OutdatedClusters, namedClusters))
	}
	return b.String() + "\n"
}

func (m Moment) sentence() string {
	who := phrase.List(m.Clusters, namedClusters)
	verb := func(one, many string) string {
		if len(m.Clusters) == 1 {
			return who + " " + one
		}
		return who + " " + many
	}
	switch m.Event {
	case RolloutStarted:
		return "a new version"
	case RolloutSuperseded:
		return "a newer version"
	case StageStarted:
		return "starts"
	case ClusterUpdated:
		return verb("is updated", "are updated")
	case ClusterHealthy:
		return verb("is healthy", "are healthy")
	case ClusterDegraded:
		return withMessage(verb("is no longer healthy", "are no longer healthy"), m.Message)
	case StageCompleted:
		return "completed"
	case RolloutHalted:
		return withMessage("halted", m.Message)
	case ClusterRolledBack:
		return verb("is rolled back", "are rolled back")
	case RolloutResumed:
		return "resumed"
	case RolloutCompleted:
		return "all stages are complete"
	}
	return withMessage(string(m.Phase), m.Message)
}

func withMessage(sentence, message string) string {
	if message == "" {
		return sentence
	}
	return sentence + ": " + message
}
