package view

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view/page"
	"github.com/accord-dev/accord/internal/phrase"
	stages "github.com/accord-dev/accord/propagate/stage"
)

// PageOptions are the choices of the user for a page.
type PageOptions struct {
	// Rollout limits the page to the rollouts of one policy; empty means all.
	Rollout string
	// Refresh is the interval at which a browser loads the page again; zero means never.
	Refresh time.Duration
}

// writePage writes the status of federations as an HTML page.
func writePage(out io.Writer, reports []report, o PageOptions, empty string, now time.Time) error {
	p := page.Page{Now: now, Refresh: o.Refresh, Empty: empty}
	for _, r := range reports {
		p.Federations = append(p.Federations, r.page(o.Rollout, now))
	}
	slices.SortStableFunc(p.Federations, func(a, b page.Federation) int { return byUrgency(a.Tone, b.Tone) })
	return p.Write(out)
}

// page returns the status as the content of a page.
func (r report) page(rollout string, now time.Time) page.Federation {
	s := r.status
	verdict, figures := s.Verdict, s.figures()
	f := page.Federation{
		ID: s.Namespace + "." + s.Federation, Name: cmp.Or(s.title, s.Federation), Verdict: verdict, Figures: figures, Tone: verdictTone(verdict),
		Subject: s.Subject, Message: s.headMessage(), Errors: s.Errors, Notes: s.Findings,
	}
	f.Next, f.Command = splitStep(s.next())
	if s.Revision != "" {
		f.Revision, f.FullRevision = text.ShortRevision(s.Revision), s.Revision
	}
	if s.CommittedAt != nil {
		f.Commit = s.authorship(now)
	}
	if s.ErrorsOmitted > 0 {
		f.Errors = append(slices.Clone(f.Errors), "and "+phrase.Count(int(s.ErrorsOmitted), "more error")+": accord lint shows all")
	}
	for i := range s.Rollouts {
		if o := &s.Rollouts[i]; rollout == "" || o.Policy == rollout {
			f.Rollouts = append(f.Rollouts, r.rolloutPage(o, now))
		}
	}
	s.pageClusters(&f, now)
	for _, m := range s.troubles(now) {
		f.Problems = append(f.Problems, page.Problem{Cluster: m.cluster, Object: m.object, State: m.state, Message: m.message})
	}
	f.Rest = append(s.missing(), removedLines(s.Left, s.LeftOmitted, now)...)
	return f
}

func (r report) rolloutPage(o *v1alpha1.RolloutStatus, now time.Time) page.Rollout {
	made := page.Rollout{
		Rollout: drawingOf(r.release, o, r.deliveries, now), Name: o.Policy, ID: stages.ShortID(o.ID), Phase: o.Phase,
		Duration: rolloutDuration(o, now), Lines: rolloutLines(o, now),
	}
	for _, s := range o.Stages {
		made.Figures = append(made.Figures, fmt.Sprintf("%d/%d on %s, %d/%d healthy", s.UpdatedClusters, s.Clusters, text.ShortRevision(r.status.Revision), s.Healthy, s.Clusters))
	}
	if o.StagesOmitted > 0 {
		made.Lines = append(made.Lines, "and "+phrase.Count(int(o.StagesOmitted), "more stage"))
	}
	return made
}

// splitStep splits "correct it, or: accord resume" into a sentence and a command.
func splitStep(step string) (words, command string) {
	switch words, command, found := strings.Cut(step, ": accord "); {
	case found:
		return words + ":", "accord " + command
	case step == progress.NextMistake:
		return step, ""
	}
	return "", step
}

// pageClusters sets the rows of the clusters, those that need attention first, and folds many healthy ones with the same revision.
func (r Status) pageClusters(f *page.Federation, now time.Time) {
	quiet := map[string][]page.Cluster{}
	for _, c := range r.Clusters {
		row := page.Cluster{
			Name: c.Cluster, State: string(c.State), Tone: stateTone(c.State), Healthy: fmt.Sprintf("%d/%d", c.Objects.Healthy, c.Objects.Total),
			On: text.ShortRevision(c.Revision), Newest: c.Current, Since: text.Age(c.Since, now), Note: c.NoteAt(now),
		}
		if c.State == v1alpha1.Healthy && row.Note == "" {
			quiet[row.On] = append(quiet[row.On], row)
		} else {
			f.Clusters = append(f.Clusters, row)
		}
	}
	slices.SortStableFunc(f.Clusters, func(a, b page.Cluster) int { return byUrgency(a.Tone, b.Tone) })
	for _, on := range slices.Sorted(maps.Keys(quiet)) {
		if rows := quiet[on]; len(rows) > ManyClusters {
			f.Folded = append(f.Folded, page.Group{On: on, Clusters: rows})
		} else {
			f.Clusters = append(f.Clusters, rows...)
		}
	}
}

// byUrgency sorts tones, those that need attention first.
func byUrgency(a, b page.Tone) int {
	order := []page.Tone{page.Bad, page.Warn, page.Moving, page.Idle, page.Good}
	return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
}

func verdictTone(verdict string) page.Tone {
	switch verdict {
	case verdictReady:
		return page.Good
	case verdictRolling:
		return page.Moving
	case verdictUnknown:
		return page.Idle
	case verdictFailing, VerdictFailed, verdictHalted, verdictRolledBack:
		return page.Bad
	}
	return page.Warn
}

func stateTone(s v1alpha1.State) page.Tone {
	switch s {
	case v1alpha1.Healthy:
		return page.Good
	case v1alpha1.Progressing:
		return page.Moving
	case v1alpha1.Failed:
		return page.Bad
	case v1alpha1.Held, v1alpha1.Unreachable:
		return page.Warn
	}
	return page.Idle
}
