package stage

import (
	"fmt"
	"strings"
	"time"
)

// Timeline is what happens in a simulation.
type Timeline struct {
	Moments []Moment
	// Last is the outcome at the end, Lasted how long the simulation took.
	Last   Outcome
	Lasted time.Duration
}

// Moment is one thing that happens, to one or several clusters.
type Moment struct {
	At       time.Duration
	Event    EventKind // empty: the verdict changed
	Verdict  Phase
	Stage    string
	Clusters []string
	Message  string
}

// add notes what a step changed. What happens to several clusters of a stage at once is one moment.
func (t *Timeline) add(s Step) {
	for _, e := range s.Outcome.Events {
		if n := len(t.Moments); e.Cluster != "" && n > 0 {
			last := &t.Moments[n-1]
			if last.At == s.At && last.Event == e.Kind && last.Stage == e.Stage && last.Message == e.Message {
				last.Clusters = append(last.Clusters, e.Cluster)
				continue
			}
		}
		moment := Moment{At: s.At, Event: e.Kind, Verdict: s.Outcome.Phase, Stage: e.Stage, Message: e.Message}
		if e.Cluster != "" {
			moment.Clusters = []string{e.Cluster}
		}
		t.Moments = append(t.Moments, moment)
	}
	o := s.Outcome
	switch {
	case o.Phase == t.Last.Phase, o.Phase == Complete, o.Phase == Rolling:
	case o.Phase == Halted && o.State.Failure != nil: // an event says so
	default:
		t.Moments = append(t.Moments, Moment{At: s.At, Verdict: o.Phase, Stage: o.Stage, Message: o.Message})
	}
	t.Last = o
}

// String is the timeline as people read it, one line a moment, with how it ends in the last one.
func (t Timeline) String() string {
	var b strings.Builder
	for _, m := range t.Moments {
		fmt.Fprintf(&b, "%-9s %-10s %s\n", short(m.At), m.Stage, m.sentence())
	}
	fmt.Fprintf(&b, "%-9s %-10s %s", short(t.Lasted), "end", t.Last.Phase)
	if t.Last.Message != "" && t.Last.Phase != Complete {
		fmt.Fprintf(&b, ": %s", t.Last.Message)
	}
	if len(t.Last.OutdatedClusters) > 0 {
		fmt.Fprintf(&b, ", without %s", names(t.Last.OutdatedClusters))
	}
	return b.String() + "\n"
}

func (m Moment) sentence() string {
	who := names(m.Clusters)
	verb := func(one, many string) string {
		if len(m.Clusters) == 1 {
			return who + " " + one
		}
		return who + " " + many
	}
	switch m.Event {
	case RolloutStarted:
		return "a new version is wanted"
	case RolloutSuperseded:
		return "a newer version is wanted"
	case StageStarted:
		return "begins"
	case ClusterUpdated:
		return verb("gets the new version", "get the new version")
	case ClusterHealthy:
		return verb("is healthy", "are healthy")
	case ClusterDegraded:
		return withMessage(verb("is not healthy any more", "are not healthy any more"), m.Message)
	case StageCompleted:
		return "passed"
	case RolloutHalted:
		return withMessage("stops", m.Message)
	case ClusterRolledBack:
		return verb("gets back what it had", "get back what they had")
	case RolloutResumed:
		return "a person resumed it"
	case RolloutCompleted:
		return "every stage was left"
	}
	return withMessage(string(m.Verdict), m.Message)
}

func withMessage(sentence, message string) string {
	if message == "" {
		return sentence
	}
	return sentence + ": " + message
}

// names is "a, b, c" and of many the first and how many more.
func names(all []string) string {
	const shown = 6
	if len(all) <= shown {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:shown-1], ", "), len(all)-shown+1)
}
