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
	Verdict  Verdict
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
		moment := Moment{At: s.At, Event: e.Kind, Verdict: s.Outcome.Verdict, Stage: e.Stage, Message: e.Message}
		if e.Cluster != "" {
			moment.Clusters = []string{e.Cluster}
		}
		t.Moments = append(t.Moments, moment)
	}
	o := s.Outcome
	switch {
	case o.Verdict == t.Last.Verdict, o.Verdict == Complete, o.Verdict == Rolling:
	case o.Verdict == Halted && o.State.Failure != nil: // an event says so
	default:
		t.Moments = append(t.Moments, Moment{At: s.At, Verdict: o.Verdict, Stage: o.Stage, Message: o.Message})
	}
	t.Last = o
}

// String is the timeline as people read it, one line a moment, with how it ends in the last one.
func (t Timeline) String() string {
	var b strings.Builder
	for _, m := range t.Moments {
		fmt.Fprintf(&b, "%-9s %-10s %s\n", short(m.At), m.Stage, m.sentence())
	}
	fmt.Fprintf(&b, "%-9s %-10s %s", short(t.Lasted), "end", t.Last.Verdict)
	if t.Last.Message != "" && t.Last.Verdict != Complete {
		fmt.Fprintf(&b, ": %s", t.Last.Message)
	}
	if len(t.Last.Behind) > 0 {
		fmt.Fprintf(&b, ", without %s", names(t.Last.Behind))
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
	case Started:
		return "a new version is wanted"
	case Superseded:
		return "a newer version is wanted"
	case Entered:
		return "begins"
	case Given:
		return verb("gets the new version", "get the new version")
	case Became:
		return verb("is healthy", "are healthy")
	case Relapsed:
		return withMessage(verb("is not healthy any more", "are not healthy any more"), m.Message)
	case Passed:
		return "passed"
	case Stopped:
		return withMessage("stops", m.Message)
	case Restored:
		return verb("gets back what it had", "get back what they had")
	case Resumed:
		return "a person resumed it"
	case Finished:
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
