package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// ManyClusters is the number of healthy clusters above which they share one line.
const ManyClusters = 12

// Headline returns the verdict: `checkout @ 4f2c9e1 (committed 14m ago by Ada, "bump api to 1.8.2")   ROLLING OUT  12/30
// clusters healthy`.
func (r Status) Headline(now time.Time) string {
	line := r.heading()
	if r.Revision != "" {
		line += " (" + r.commit(now) + ")"
	}
	return line + "   " + r.verdict()
}

// heading returns "checkout @ 4f2c9e1".
func (r Status) heading() string {
	name := cmp.Or(r.title, r.Federation)
	if r.Revision == "" {
		return name
	}
	return name + " @ " + text.ShortRevision(r.Revision)
}

// verdict returns "ROLLING OUT  12/30 clusters healthy, 1 held".
func (r Status) verdict() string { return r.Verdict + "  " + r.figures() }

// figures returns "stage 2 of 3, 12/30 clusters healthy, 1 held".
func (r Status) figures() string {
	switch {
	case r.Release == "":
		return "no commit was read so far"
	case r.Summary.Total == 0 && r.Verdict == VerdictFailed:
		return "given to no cluster"
	case r.Summary.Total == 0:
		return "no cluster is chosen"
	}
	line := text.Join(", ", r.stageProgress(), fmt.Sprintf("%d/%d clusters healthy", r.Summary.Healthy, r.Summary.Total))
	for _, c := range []struct {
		name  string
		count int32
	}{{"failed", r.Summary.Failed}, {"held", r.Summary.Held}, {"unreachable", r.Summary.Unreachable}} {
		if c.count > 0 {
			line += fmt.Sprintf(", %d %s", c.count, c.name)
		}
	}
	return line
}

// commit returns the author, the age and the subject of the commit.
func (r Status) commit(now time.Time) string {
	who := r.authorship(now)
	if r.Subject != "" {
		who += fmt.Sprintf(", %q", r.Subject)
	}
	return who
}

// authorship returns "committed 14m ago by Ada".
func (r Status) authorship(now time.Time) string {
	who := "committed " + text.Age(r.CommittedAt, now) + " ago"
	if name, _, _ := strings.Cut(r.Author, " <"); name != "" {
		who += " by " + name
	}
	return who
}

// headMessage returns the message below the verdict, unless errors or a rollout below tell it.
func (r Status) headMessage() string {
	if len(r.Errors) > 0 || slices.ContainsFunc(r.Rollouts, func(o v1alpha1.RolloutStatus) bool { return o.WaitingFor != nil }) {
		return ""
	}
	return r.Message
}

// Write prints the verdict, the clusters, their problems and the next step.
func (r Status) Write(out io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Headline(now))
	if message := r.headMessage(); message != "" {
		fmt.Fprintln(&b, "  "+message)
	}
	r.writeErrors(&b)
	if err := r.writeStages(&b, now); err != nil {
		return err
	}
	if len(r.Clusters) > 0 {
		fmt.Fprintln(&b)
	}
	if err := text.Table(&b, "  ", r.rows(now)); err != nil {
		return err
	}
	r.writeRest(&b)
	r.writeProblems(&b, now)
	r.writeMutated(&b)
	for _, f := range r.Findings {
		fmt.Fprintln(&b, "  note: "+f)
	}
	for _, line := range removedLines(r.Left, r.LeftOmitted, now) {
		fmt.Fprintln(&b, "  "+line)
	}
	if next := r.next(); next != "" {
		fmt.Fprintln(&b, "\n  next: "+next)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r Status) writeErrors(b *strings.Builder) {
	for _, e := range r.Errors {
		fmt.Fprintln(b, "  error: "+e)
	}
	if r.ErrorsOmitted > 0 {
		fmt.Fprintf(b, "  and %s: accord lint shows all\n", phrase.Count(int(r.ErrorsOmitted), "more error"))
	}
}

// collapsible counts the healthy clusters on the current revision, and reports whether they are too many for a row each.
func (r Status) collapsible() (count int, collapse bool) {
	for _, c := range r.Clusters {
		if c.isFine() {
			count++
		}
	}
	return count, count > ManyClusters
}

func (c ClusterStatus) isFine() bool {
	return c.State == v1alpha1.Healthy && c.Current && c.Orphans == 0 && len(c.Mutated) == 0
}

func (r Status) rows(now time.Time) [][]string {
	_, collapse := r.collapsible()
	rows := [][]string{{"CLUSTER", "ON", "HEALTHY", "STATE", "SINCE", "NOTE"}}
	for _, c := range r.Clusters {
		if collapse && c.isFine() {
			continue
		}
		on := text.ShortRevision(c.Revision)
		if c.Current {
			on += " (newest)"
		}
		rows = append(rows, []string{
			c.Cluster, on, fmt.Sprintf("%d/%d", c.Objects.Healthy, c.Objects.Total), string(c.State), text.Age(c.Since, now), c.NoteAt(now),
		})
	}
	return rows
}

// NoteAt returns the note of a row: held objects, orphaned objects, the time of the last probe.
func (c ClusterStatus) NoteAt(now time.Time) string {
	note := c.Note
	if c.State == v1alpha1.Unreachable {
		note = text.Join(": ", "last probe "+text.Age(c.Heard, now)+" ago", note)
	}
	if c.Objects.Held > 0 && c.State != v1alpha1.Held {
		note = text.Join("; ", note, fmt.Sprintf("%d/%d objects held", c.Objects.Held, c.Objects.Total))
	}
	if n := len(c.Mutated); n > 0 && c.State != v1alpha1.Failed {
		note = text.Join("; ", note, phrase.Count(n, "applied field")+" changed by the cluster")
	}
	if c.Orphans > 0 {
		note = text.Join("; ", note, fmt.Sprintf("%d orphaned", c.Orphans))
	}
	return note
}

// writeRest counts the clusters without a row.
func (r Status) writeRest(b *strings.Builder) {
	if count, collapse := r.collapsible(); collapse {
		fmt.Fprintf(b, "  +%d Healthy on %s\n", count, text.ShortRevision(r.Revision))
	}
	for _, line := range r.missing() {
		fmt.Fprintln(b, "  "+line)
	}
}

// missing returns a line about the clusters without a Delivery.
func (r Status) missing() []string {
	if n := int(r.Summary.Total) - len(r.Clusters); n > 0 {
		return []string{fmt.Sprintf("+%d of %d clusters have received nothing yet", n, r.Summary.Total)}
	}
	return nil
}

// trouble is an object that needs attention. The state has its duration.
type trouble struct{ cluster, object, state, message string }

// troubles returns the problems of clusters that need attention. Held and unreachable clusters only have their row.
func (r Status) troubles(now time.Time) []trouble {
	var all []trouble
	for _, c := range r.Clusters {
		if !progress.NeedsAttention(c.State) {
			continue
		}
		for _, p := range c.Trouble {
			if progress.NeedsAttention(p.State) {
				all = append(all, trouble{c.Cluster, p.Object, string(p.State) + " for " + text.Age(p.Since, now), p.Message})
			}
		}
		if c.TroubleOmitted > 0 {
			all = append(all, trouble{cluster: c.Cluster, object: "and " + phrase.Count(int(c.TroubleOmitted), "more object")})
		}
	}
	return all
}

// writeProblems lists the problems, with an empty line before those of each cluster.
func (r Status) writeProblems(b *strings.Builder, now time.Time) {
	before := ""
	for _, t := range r.troubles(now) {
		if t.cluster != before {
			fmt.Fprintln(b)
			before = t.cluster
		}
		fmt.Fprintln(b, "  "+text.Join("  ", t.cluster, t.object, text.Join(": ", t.state, t.message)))
	}
}

// writeMutated lists the fields that clusters changed. The problem of a failed object has them already.
func (r Status) writeMutated(b *strings.Builder) {
	before := "\n"
	for _, c := range r.Clusters {
		for _, f := range c.Mutated {
			if c.State != v1alpha1.Failed {
				fmt.Fprintf(b, "%s  %s  %s\n", before, c.Cluster, f)
				before = ""
			}
		}
	}
}

// next returns the next step for the reader.
func (r Status) next() string {
	switch {
	case r.Verdict == VerdictFailed && len(r.Errors) > 0:
		return progress.NextMistake
	case r.nextStage() != "":
		return r.nextStage()
	case r.Verdict == verdictFailing, r.Verdict == VerdictFailed:
		return r.nextWhy()
	case r.Verdict == verdictUnreachable:
		return "accord get clusters"
	case r.Verdict == verdictUnknown:
		return "kubectl describe federation " + r.Federation + " -n " + r.Namespace
	case r.Verdict == verdictRolling && r.Summary.Total > 0:
		return fmt.Sprintf("accord wait %s -n %s --revision %s", r.Federation, r.Namespace, text.ShortRevision(r.Revision))
	}
	return ""
}

// nextWhy returns the command that explains the first failed object.
func (r Status) nextWhy() string {
	for _, c := range r.Clusters {
		for _, p := range c.Trouble {
			if p.State == v1alpha1.Failed {
				return progress.NextWhy(p.Object, c.Cluster)
			}
		}
	}
	return ""
}
