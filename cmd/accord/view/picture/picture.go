// Package picture draws the stages of one rollout, with the clusters of each over time, as an SVG. The result is one file without
// scripts and without anything to load. It is readable on light and dark backgrounds. Each bar has a text, and
// a pattern repeats the meaning of its colour. The drawing is a function of a Rollout and reads no clock.
package picture

import (
	"cmp"
	"slices"
	"time"
)

// Rollout is the content of a drawing.
type Rollout struct {
	// Title is "prod @ 4f2c9e1, rollout standard"; Verdict is one line: "Progressing: stage 2 of 3".
	Title, Verdict string
	// WaitingFor is a sentence about the next event; empty if it does not wait.
	WaitingFor string
	// Begin and End limit the time axis.
	Begin, End time.Time
	Stages     []Stage
}

// Stage is one stage of the rollout.
type Stage struct {
	Name, Note string
	// Began is the start of the stage, Passed its end; zero if it has not happened.
	Began, Passed time.Time
	Clusters      []Cluster
	// Omitted counts the clusters that are not in Clusters.
	Omitted int
}

// Cluster is one row.
type Cluster struct {
	Name string
	// Bars are in the order of time and do not overlap.
	Bars []Bar
}

// Bar is one state of a cluster over a time.
type Bar struct {
	Kind     Kind
	From, To time.Time
}

// Kind is the state of a cluster.
type Kind string

// Kinds in the order of the legend.
const (
	Waits    Kind = "waits"
	Changing Kind = "changing"
	Soaking  Kind = "soaking"
	Passed   Kind = "passed"
	Failing  Kind = "failing"
	Away     Kind = "away"
	Had      Kind = "had"
	Restored Kind = "restored"
)

// Look is the style of a kind and its text in the legend.
type Look struct {
	Kind Kind
	// Label is the text in the legend.
	Label string
	// Light and Dark are the colours on each background. Pattern is the name of one of Patterns, which is drawn on top; empty for none.
	Light, Dark, Pattern string
}

var looks = []Look{
	{Waits, "waits, keeps what it has", "#d0d7de", "#3d444d", ""},
	{Changing, "has the new version, not healthy yet", "#218bff", "#1f6feb", "rising"},
	{Soaking, "healthy, the gate is open for more", "#9be9a8", "#26a641", "dots"},
	{Passed, "passed, healthy", "#2da44e", "#39d353", ""},
	{Failing, "not healthy", "#cf222e", "#f85149", "crossed"},
	{Away, "held or unreachable", "#bf8700", "#d29922", "falling"},
	{Had, "had the new version until the rollback", "#6e7781", "#8b949e", "rising"},
	{Restored, "given back what it had", "#8250df", "#a371f7", "falling"},
}

// LookOf returns the style of a kind.
func LookOf(kind Kind) Look {
	for _, l := range looks {
		if l.Kind == kind {
			return l
		}
	}
	return looks[0]
}

// Looks returns the styles in the order of the legend.
func Looks() []Look { return slices.Clone(looks) }

// MaxRows is the number of clusters that are drawn in a stage.
const MaxRows = 40

// Shorten keeps the rows that need attention first. It counts the others.
func (s Stage) Shorten() Stage {
	if len(s.Clusters) <= MaxRows {
		return s
	}
	sorted := slices.Clone(s.Clusters)
	slices.SortStableFunc(sorted, func(a, b Cluster) int { return cmp.Compare(a.rank(), b.rank()) })
	s.Clusters, s.Omitted = sorted[:MaxRows], s.Omitted+len(sorted)-MaxRows
	return s
}

// rank is smaller for clusters that need attention.
func (c Cluster) rank() int {
	if len(c.Bars) == 0 {
		return len(looks)
	}
	order := []Kind{Failing, Away, Restored, Had, Changing, Soaking, Waits, Passed}
	return slices.Index(order, c.Bars[len(c.Bars)-1].Kind)
}
