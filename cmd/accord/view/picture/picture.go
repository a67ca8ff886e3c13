// Package picture draws one rollout: the clusters of its stages over time, as an SVG or as an HTML page around it. What it
// makes is one file without scripts and without anything to load; it is readable on light and on dark ground, each bar
// says in words what it is, and a pattern says again what its colour does.
//
// It is a function of a Rollout, and reads no clock.
package picture

import (
	"cmp"
	"slices"
	"time"
)

// Rollout is what is drawn.
type Rollout struct {
	// Title is "prod @ 4f2c9e1, rollout standard"; Verdict is one line: "Progressing: stage 2 of 3".
	Title, Verdict string
	// WaitingFor is on what it waits, as a sentence; empty when on nothing.
	WaitingFor string
	// Begin and End bound the time that is drawn.
	Begin, End time.Time
	Stages     []Stage
}

// Stage is one step of the order.
type Stage struct {
	Name, Note string
	// Began is when it got its turn, Passed when it was left; zero when it was not.
	Began, Passed time.Time
	Clusters      []Cluster
	// Omitted counts the clusters that are not in Clusters.
	Omitted int
}

// Cluster is one row.
type Cluster struct {
	Name string
	// Bars in the order of time; they do not overlap.
	Bars []Bar
}

// Bar is what a cluster does for a while.
type Bar struct {
	Kind     Kind
	From, To time.Time
}

// Kind is what a cluster does.
type Kind string

// Kinds of bars, in the order of the legend.
const (
	Waits    Kind = "waits"
	Changing Kind = "changing"
	Soaking  Kind = "soaking"
	Passed   Kind = "passed"
	Failing  Kind = "failing"
	Away     Kind = "away"
	Restored Kind = "restored"
)

// A look is how a kind is drawn and explained.
type look struct {
	kind Kind
	// says is what the legend says.
	says string
	// light and dark are the colours on each ground; pattern is drawn on top, empty for none.
	light, dark, pattern string
}

var looks = []look{
	{Waits, "waits, keeps what it has", "#d0d7de", "#3d444d", ""},
	{Changing, "has the new version, not healthy yet", "#54aeff", "#1f6feb", "rising"},
	{Soaking, "healthy, the gate is open for more", "#9be9a8", "#26a641", "dots"},
	{Passed, "healthy, passed", "#2da44e", "#39d353", ""},
	{Failing, "not healthy", "#cf222e", "#f85149", "crossed"},
	{Away, "held or unreachable", "#bf8700", "#d29922", "falling"},
	{Restored, "given back what it had", "#8250df", "#a371f7", "falling"},
}

// MaxRows is how many clusters of a stage are drawn.
const MaxRows = 40

// Shorten leaves the rows that a reader looks for: those that are not fine first. The others are counted.
func (s Stage) Shorten() Stage {
	if len(s.Clusters) <= MaxRows {
		return s
	}
	sorted := slices.Clone(s.Clusters)
	slices.SortStableFunc(sorted, func(a, b Cluster) int { return cmp.Compare(a.rank(), b.rank()) })
	s.Clusters, s.Omitted = sorted[:MaxRows], s.Omitted+len(sorted)-MaxRows
	return s
}

// rank is smaller for what is looked at first.
func (c Cluster) rank() int {
	if len(c.Bars) == 0 {
		return len(looks)
	}
	order := []Kind{Failing, Away, Restored, Changing, Soaking, Waits, Passed}
	return slices.Index(order, c.Bars[len(c.Bars)-1].Kind)
}
