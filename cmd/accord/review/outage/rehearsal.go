package outage

import (
	"strings"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/rehearsal"
)

// Rehearsal is the timeline of a failure.
type Rehearsal struct {
	Failures []Failure `json:"failures"`
	// Unhealthy are the workloads that become unhealthy.
	Unhealthy []Unhealthy `json:"unhealthy,omitempty"`
	// Enabled reports whether the Federation enables failover.
	Enabled bool `json:"enabled"`
	// HealthyAfter is the time from the delivery of a copy until it is healthy. The other times are those of the controllers.
	HealthyAfter     string   `json:"healthyAfter"`
	Threshold        string   `json:"clusterFailureThreshold"`
	SuccessThreshold string   `json:"clusterSuccessThreshold"`
	EvictionTimeout  string   `json:"failoverEvictionTimeout"`
	Moments          []Moment `json:"moments"`
	// Objects are the objects with failover that were on a failing cluster or became unhealthy, at the end.
	Objects []Object `json:"objects"`
	// WithoutFailover counts the other objects there.
	WithoutFailover int    `json:"withoutFailover"`
	Verdict         string `json:"verdict"`
	Lasted          string `json:"lasted"`

	lines []rehearsal.Line
}

// Failure is a cluster that fails at the beginning.
type Failure struct {
	Cluster string `json:"cluster"`
	// Until is the time at which the cluster answers again; empty for never.
	Until string `json:"until,omitempty"`
}

// Unhealthy is a workload that is unhealthy from the beginning.
type Unhealthy struct {
	Object string `json:"object"`
	// Cluster is empty for every cluster.
	Cluster string `json:"cluster,omitempty"`
	// Until is the time at which the workload is healthy again; empty for never.
	Until string `json:"until,omitempty"`
}

// Moment is one event, at a time counted from the beginning.
type Moment struct {
	At      string          `json:"at"`
	Event   rehearsal.Event `json:"event"`
	Cluster string          `json:"cluster,omitempty"`
	Objects []string        `json:"objects,omitempty"`
	To      []Target        `json:"to,omitempty"`
	Message string          `json:"message,omitempty"`
	// Terms are the cause and the purge mode of an application failover, and the labels of statePreservation.
	Terms string `json:"terms,omitempty"`
}

func newRehearsal(s rehearsal.Scenario, line rehearsal.Timeline) *Rehearsal {
	r := &Rehearsal{
		Failures: []Failure{}, Enabled: s.Settings.Enabled, HealthyAfter: s.HealthyAfter.String(), Threshold: s.Threshold.String(),
		SuccessThreshold: s.SuccessThreshold.String(), EvictionTimeout: s.EvictionTimeout.String(), Moments: []Moment{}, Objects: []Object{}, WithoutFailover: line.Without, Verdict: line.Verdict(),
		Lasted: line.Lasted.String(), lines: line.Lines(),
	}
	for _, f := range s.Failures {
		made := Failure{Cluster: f.Cluster}
		if f.Until > 0 {
			made.Until = f.Until.String()
		}
		r.Failures = append(r.Failures, made)
	}
	for _, u := range s.Unhealthy {
		made := Unhealthy{Object: u.Object.String(), Cluster: u.Cluster}
		if u.Until > 0 {
			made.Until = u.Until.String()
		}
		r.Unhealthy = append(r.Unhealthy, made)
	}
	for _, m := range line.Moments {
		made := Moment{At: m.At.String(), Event: m.Event, Cluster: m.Cluster, Message: m.Message, Terms: m.Terms}
		for _, id := range m.Objects {
			made.Objects = append(made.Objects, id.String())
		}
		for _, c := range m.To {
			made.To = append(made.To, Target{c.Name, c.Replicas})
		}
		r.Moments = append(r.Moments, made)
	}
	for _, e := range line.Ends {
		r.Objects = append(r.Objects, newObject(e))
	}
	return r
}

// title returns the heading of the timeline.
func (r *Rehearsal) title() string {
	var names []string
	for _, f := range r.Failures {
		names = append(names, f.Cluster)
	}
	for _, u := range r.Unhealthy {
		names = append(names, text.Join(" on ", u.Object, u.Cluster))
	}
	title := "failure of " + phrase.And(names, text.FewNames)
	if !r.Enabled {
		title += " (spec.failover.enabled of the Federation is false: nothing moves)"
	}
	return title
}

// Text writes the timeline for a terminal.
func (r *Report) Text(b *strings.Builder) {
	if r == nil || r.Rehearsal == nil {
		return
	}
	b.WriteString(r.Rehearsal.title() + "\n")
	for _, line := range r.Rehearsal.lines {
		text.Wrap(b, "  "+line.Head(), line.Text)
	}
	b.WriteString("\n")
}

// Markdown returns the timeline as a heading and a code block; empty without one.
func (r *Report) Markdown() string {
	if r == nil || r.Rehearsal == nil {
		return ""
	}
	var lines []string
	for _, line := range r.Rehearsal.lines {
		lines = append(lines, text.Printable(line.Head()+line.Text))
	}
	return text.Capitalize(text.MarkdownText(r.Rehearsal.title())) + ":\n\n" + text.CodeBlock("", lines)
}
