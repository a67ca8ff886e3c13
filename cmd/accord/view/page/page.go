// Package page writes the status of federations as one HTML page, without scripts and without anything to load. It is for wide and
// narrow screens, and for light and dark backgrounds. It is a function of its content and reads no clock.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

// Page is the content of a page: one federation, or several with an index.
type Page struct {
	// Now is the time of the content.
	Now         time.Time
	Federations []Federation
	// Refresh is the interval at which a browser loads the page again; zero means never.
	Refresh time.Duration
	// Empty is the sentence of a page without federations.
	Empty string
}

// Federation is the status of one federation.
type Federation struct {
	// ID is the target of the link in the index.
	ID, Name string
	// Verdict is "ROLLING OUT"; Figures is "stage 2 of 3, 10/30 clusters healthy".
	Verdict, Figures string
	Tone             Tone
	// Revision is short and FullRevision is whole; both are empty if no commit was read yet. Commit is "committed 14m ago by Ada".
	Revision, FullRevision, Subject, Commit string
	Message                                 string
	// Errors are mistakes of the commit.
	Errors []string
	// Next is the next step, and Command the command of it.
	Next, Command string
	Rollouts      []Rollout
	// Clusters have a row each, those that need attention first. Folded are healthy ones, which are too many for that.
	Clusters []Cluster
	Folded   []Group
	// Rest are lines below the clusters.
	Rest     []string
	Problems []Problem
	Notes    []string
}

// Rollout is one staged rollout.
type Rollout struct {
	picture.Rollout
	Name, ID, Phase, Duration string
	// Lines are sentences about the rollout.
	Lines []string
	// Figures are those of each stage: "9/12 on 4f2c9e1, 8/12 healthy".
	Figures []string
}

// Cluster is one row.
type Cluster struct {
	Name, State string
	Tone        Tone
	// Healthy is "38/40", On the short revision.
	Healthy, On string
	// Newest reports whether On is the newest revision.
	Newest      bool
	Since, Note string
}

// Group is clusters with the same revision.
type Group struct {
	On       string
	Clusters []Cluster
}

// Problem is an object that needs attention.
type Problem struct{ Cluster, Object, State, Message string }

// Tone is the urgency of a state. A sign and a colour show it.
type Tone string

const (
	Good   Tone = "good"
	Moving Tone = "moving"
	Warn   Tone = "warn"
	Bad    Tone = "bad"
	Idle   Tone = "idle"
)

// Sign returns a character for readers who cannot distinguish colours.
func (t Tone) Sign() string {
	return map[Tone]string{Good: "\u2713", Moving: "\u25b6", Warn: "!", Bad: "\u2715"}[t]
}

// Title returns the title of the window: the verdict first, because tabs cut the end.
func (p Page) Title() string {
	if len(p.Federations) == 1 {
		return p.Federations[0].Verdict + ": " + p.Federations[0].Name
	}
	return fmt.Sprintf("%d of %d federations ready", p.Ready(), len(p.Federations))
}

// Index reports whether the page begins with a list of federations.
func (p Page) Index() bool { return len(p.Federations) != 1 }

// RefreshSeconds returns the interval for browsers.
func (p Page) RefreshSeconds() int { return int(p.Refresh.Seconds()) }

// Ready counts the federations that need nobody.
func (p Page) Ready() (n int) {
	for _, f := range p.Federations {
		if f.Tone == Good {
			n++
		}
	}
	return n
}

// Write writes the page.
func (p Page) Write(out io.Writer) error { return layout.Execute(out, p) }

//go:embed page.gohtml
var source string

//go:embed page.css
var sheet string

var layout = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":    func() template.CSS { return template.CSS(sheet + barStyle()) },
	"patterns": func() template.HTML { return picture.Patterns },
	"stages":   Rollout.rows,
	"legend":   Rollout.legend,
	"ticks":    Rollout.ticks,
	"plain":    picture.Plain,
	"utc":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
}).Parse(source))
