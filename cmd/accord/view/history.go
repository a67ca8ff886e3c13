package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	stages "github.com/accord-dev/accord/propagate/stage"
)

// History is the result of "accord rollout history".
type History struct {
	// Title is the name of the federation in text.
	Title      string         `json:"-"`
	Federation string         `json:"federation"`
	Namespace  string         `json:"namespace"`
	Releases   []HistoryEntry `json:"releases"`
}

// DocumentKind implements text.Document.
func (History) DocumentKind() string { return "ReleaseHistory" }

// HistoryEntry is the progress of one commit.
type HistoryEntry struct {
	Release     string       `json:"release"`
	Revision    string       `json:"revision"`
	Author      string       `json:"author,omitempty"`
	Subject     string       `json:"subject,omitempty"`
	CommittedAt *metav1.Time `json:"committedAt,omitempty"`
	// Began is the time at which the controllers saw the commit.
	Began metav1.Time `json:"began"`
	// Result is done, halted, rolled back, failed, superseded or under way.
	Result string `json:"result"`
	// PlanDigest identifies the plan. A commit that changes nothing for the federation has the plan of its predecessor.
	PlanDigest string `json:"planDigest,omitempty"`
	Message    string `json:"message,omitempty"`
	// ApprovedBy is the user who approved the plan by annotation.
	ApprovedBy string `json:"approvedBy,omitempty"`
	// SupersededBy is the newer Release, also of a commit that was done.
	SupersededBy string                   `json:"supersededBy,omitempty"`
	Summary      v1alpha1.Summary         `json:"summary"`
	Rollouts     []v1alpha1.RolloutStatus `json:"rollouts,omitempty"`
}

// Results of a commit.
const (
	endedDone       = "done"
	endedHalted     = "halted"
	endedRolledBack = "rolled back"
	endedFailed     = "failed"
	endedSuperseded = "superseded"
	endedNot        = "under way"
)

// NewHistory sorts the releases of a federation, the newest first.
func NewHistory(fed *v1alpha1.Federation, releases []v1alpha1.Release) History {
	all := History{Title: fed.Name, Federation: fed.Name, Namespace: fed.Namespace, Releases: []HistoryEntry{}}
	for i := range releases {
		all.Releases = append(all.Releases, newJourney(fed, &releases[i]))
	}
	slices.SortFunc(all.Releases, func(a, b HistoryEntry) int {
		return cmp.Or(b.Began.Compare(a.Began.Time), cmp.Compare(a.Release, b.Release))
	})
	return all
}

func newJourney(fed *v1alpha1.Federation, rel *v1alpha1.Release) HistoryEntry {
	s := progress.ReleaseSnapshot(fed, rel)
	j := HistoryEntry{
		Release: rel.Name, Revision: rel.Spec.Revision, Author: rel.Spec.Author, Subject: rel.Spec.Subject, CommittedAt: rel.Spec.CommittedAt,
		Began: rel.CreationTimestamp, PlanDigest: rel.Spec.PlanDigest, Summary: s.Summary, ApprovedBy: rel.Status.ApprovedBy, SupersededBy: rel.Status.SupersededBy, Rollouts: rel.Status.Rollouts,
	}
	failed := func(v stages.Phase) int {
		return slices.IndexFunc(j.Rollouts, func(r v1alpha1.RolloutStatus) bool { return r.Phase == string(v) })
	}
	back, halted := failed(stages.RolledBack), failed(stages.Halted)
	switch {
	case back >= 0:
		j.Result, j.Message = endedRolledBack, j.Rollouts[back].Message
	case halted >= 0:
		j.Result, j.Message = endedHalted, j.Rollouts[halted].Message
	case s.Ready, s.Summary.Total > 0 && s.Summary.Healthy == s.Summary.Total:
		j.Result = endedDone
	case s.Stalled != "":
		j.Result, j.Message = endedFailed, s.Stalled
	case s.Superseded != "":
		j.Result = endedSuperseded
	default:
		j.Result, j.Message = endedNot, s.Note
	}
	return j
}

func (r History) Write(out io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Title, r.summary())
	rows := [][]string{{"REVISION", "SEEN", "BY", "RESULT", "STAGES", "SUBJECT"}}
	for i := 0; i < len(r.Releases); i++ {
		j := r.Releases[i]
		if n := r.unchangedFrom(i); n > 0 {
			rows = append(rows, r.unchangedRow(i, n, now))
			i += n - 1
			continue
		}
		author, _, _ := strings.Cut(j.Author, " <")
		rows = append(rows, []string{text.ShortRevision(j.Revision), text.Age(&j.Began, now) + " ago", text.Cell(author, 20), j.result(r.Federation), text.Cell(j.stages(), 60), text.Cell(j.Subject, 50)})
	}
	if len(r.Releases) > 0 {
		fmt.Fprintln(&b)
	}
	if err := text.Table(&b, "  ", rows); err != nil {
		return err
	}
	first := true
	for _, j := range r.Releases {
		if j.Message == "" {
			continue
		}
		if first {
			fmt.Fprintln(&b)
		}
		first = false
		text.Wrap(&b, "  "+text.ShortRevision(j.Revision)+"  ", j.Message)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// summary returns "4 commits, 2 done, 1 halted, 1 under way".
func (r History) summary() string {
	parts := []string{phrase.Count(len(r.Releases), "commit")}
	for _, result := range []string{endedDone, endedHalted, endedRolledBack, endedFailed, endedSuperseded, endedNot} {
		n := 0
		for _, j := range r.Releases {
			if j.Result == result {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, result))
		}
	}
	return strings.Join(parts, ", ")
}

// result returns "superseded by 4f2c9e1, approved by alice".
func (j HistoryEntry) result(federation string) string {
	result := j.Result
	if j.Result == endedSuperseded {
		newer, _ := strings.CutPrefix(j.SupersededBy, federation+"-")
		result = text.Join(" by ", j.Result, newer[:min(text.ShortRevisionLength, len(newer))])
	}
	return result + text.WithPrefix(", approved by ", text.Cell(j.ApprovedBy, 40))
}

// stages returns "canary 1/1, europe 9/12", or the number of clusters if there is no staged rollout.
func (j HistoryEntry) stages() string {
	var all []string
	for _, r := range j.Rollouts {
		var parts []string
		for _, s := range r.Stages {
			parts = append(parts, fmt.Sprintf("%s %d/%d", s.Name, s.Healthy, s.Clusters))
		}
		text := strings.Join(parts, ", ")
		if len(j.Rollouts) > 1 {
			text = r.Policy + ": " + text
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return fmt.Sprintf("%d/%d at once", j.Summary.Healthy, j.Summary.Total)
	}
	return strings.Join(all, "; ")
}

// unchangedFrom counts the successive commits from i on that have the plan of the next older commit.
// A commit with a message of its own is not counted.
func (r History) unchangedFrom(i int) (n int) {
	for ; i+n+1 < len(r.Releases); n++ {
		j, older := r.Releases[i+n], r.Releases[i+n+1]
		if j.PlanDigest == "" || j.PlanDigest != older.PlanDigest || j.Message != "" || j.Result != endedDone && j.Result != endedSuperseded {
			break
		}
	}
	return n
}

// unchangedRow returns one row for n commits that changed nothing: "unchanged since db4162b (5 commits)".
func (r History) unchangedRow(i, n int, now time.Time) []string {
	since := text.ShortRevision(r.Releases[i+n].Revision)
	return []string{
		text.ShortRevision(r.Releases[i].Revision), text.Age(&r.Releases[i].Began, now) + " ago", "",
		fmt.Sprintf("unchanged since %s (%s)", since, phrase.Count(n, "commit")), "", "",
	}
}
