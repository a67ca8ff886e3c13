package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// manyClusters is from how many healthy clusters on they share one line.
const manyClusters = 12

// headline is the verdict:
// `checkout @ 4f2c9e1 (committed 14m ago by Ada, "bump api to 1.8.2")   ROLLING OUT  12/30 clusters healthy`.
func (r statusReport) headline(now time.Time) string {
	line := r.title()
	if r.Revision != "" {
		line += " (" + r.commit(now) + ")"
	}
	return line + "   " + r.verdict()
}

// title is "checkout @ 4f2c9e1".
func (r statusReport) title() string {
	if r.Revision == "" {
		return r.Federation
	}
	return r.Federation + " @ " + short(r.Revision)
}

// verdict is "ROLLING OUT  12/30 clusters healthy, 1 held".
func (r statusReport) verdict() string {
	line := r.Verdict
	switch {
	case r.Release == "":
		return line + "  no commit was read so far"
	case r.Summary.Total == 0 && r.Verdict == verdictFailed:
		return line + "  given to no cluster"
	case r.Summary.Total == 0:
		return line + "  no cluster is chosen"
	}
	line += "  " + join(", ", r.stageOf(), fmt.Sprintf("%d/%d clusters healthy", r.Summary.Healthy, r.Summary.Total))
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

// commit is who made it and when.
func (r statusReport) commit(now time.Time) string {
	who := "committed " + age(r.CommittedAt, now) + " ago"
	if name, _, _ := strings.Cut(r.Author, " <"); name != "" {
		who += " by " + name
	}
	if r.Subject != "" {
		who += fmt.Sprintf(", %q", r.Subject)
	}
	return who
}

// write prints verdict, clusters, problems and what to do next.
func (r statusReport) write(out io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.headline(now))
	if r.Message != "" && len(r.Errors) == 0 && !slices.ContainsFunc(r.Rollouts, func(o v1alpha1.RolloutStatus) bool { return o.WaitingFor != nil }) {
		fmt.Fprintln(&b, "  "+r.Message)
	}
	r.writeErrors(&b)
	if err := r.writeStages(&b, now); err != nil {
		return err
	}
	if len(r.Clusters) > 0 {
		fmt.Fprintln(&b)
	}
	if err := table(&b, "  ", r.rows(now)); err != nil {
		return err
	}
	r.writeRest(&b)
	r.writeProblems(&b, now)
	for _, f := range r.Findings {
		fmt.Fprintln(&b, "  note: "+f)
	}
	for _, line := range leftLines(r.Left, r.LeftOmitted, now) {
		fmt.Fprintln(&b, "  left: "+line)
	}
	if next := r.next(); next != "" {
		fmt.Fprintln(&b, "\n  next: "+next)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r statusReport) writeErrors(b *strings.Builder) {
	for _, e := range r.Errors {
		fmt.Fprintln(b, "  error: "+e)
	}
	if r.ErrorsOmitted > 0 {
		fmt.Fprintf(b, "  and %d more errors: accord lint shows all\n", r.ErrorsOmitted)
	}
}

// healthy clusters on the current revision need no row each when they are many.
func (r statusReport) collapses() (count int, collapse bool) {
	for _, c := range r.Clusters {
		if c.unremarkable() {
			count++
		}
	}
	return count, count > manyClusters
}

func (c clusterPart) unremarkable() bool {
	return c.State == v1alpha1.Healthy && c.Current && c.Orphans == 0
}

func (r statusReport) rows(now time.Time) [][]string {
	_, collapse := r.collapses()
	rows := [][]string{{"CLUSTER", "ON", "HEALTHY", "STATE", "SINCE", "NOTE"}}
	for _, c := range r.Clusters {
		if collapse && c.unremarkable() {
			continue
		}
		on := short(c.Revision)
		if c.Current {
			on += " (newest)"
		}
		rows = append(rows, []string{
			c.Cluster, on, fmt.Sprintf("%d/%d", c.Objects.Healthy, c.Objects.Total), string(c.State), age(c.Since, now), c.note(now),
		})
	}
	return rows
}

// note says what is special: held objects, orphans, silence.
func (c clusterPart) note(now time.Time) string {
	note := c.Note
	if c.State == v1alpha1.Unreachable {
		note = join(": ", "last heard "+age(c.Heard, now)+" ago", note)
	}
	if c.Objects.Held > 0 && c.State != v1alpha1.Held {
		note = join("; ", note, fmt.Sprintf("%d/%d objects held", c.Objects.Held, c.Objects.Total))
	}
	if c.Orphans > 0 {
		note = join("; ", note, fmt.Sprintf("%d orphaned", c.Orphans))
	}
	return note
}

// writeRest accounts for the clusters without a row.
func (r statusReport) writeRest(b *strings.Builder) {
	if count, collapse := r.collapses(); collapse {
		fmt.Fprintf(b, "  +%d Healthy on %s\n", count, short(r.Revision))
	}
	if missing := int(r.Summary.Total) - len(r.Clusters); missing > 0 {
		fmt.Fprintf(b, "  +%d of %d clusters have received nothing yet\n", missing, r.Summary.Total)
	}
}

// writeProblems lists the objects that something is to be done about. Those that are held or not heard from are
// so with their whole cluster, which has its row.
func (r statusReport) writeProblems(b *strings.Builder, now time.Time) {
	for _, c := range r.Clusters {
		if !moves(c.State) {
			continue
		}
		lines := 0
		for _, p := range c.Trouble {
			if !moves(p.State) {
				continue
			}
			if lines++; lines == 1 {
				fmt.Fprintln(b)
			}
			fmt.Fprintf(b, "  %s  %s  %s for %s%s\n", c.Cluster, p.Object, p.State, age(p.Since, now), prefixed(": ", p.Message))
		}
		if c.TroubleOmitted > 0 {
			fmt.Fprintf(b, "  %s  and %d more objects\n", c.Cluster, c.TroubleOmitted)
		}
	}
}

// next is what a reader can do about it.
func (r statusReport) next() string {
	switch {
	case r.Verdict == verdictFailed && len(r.Errors) > 0:
		return nextMistake
	case r.nextStage() != "":
		return r.nextStage()
	case r.Verdict == verdictFailing:
		return r.nextWhy()
	case r.Verdict == verdictUnreachable:
		return "accord get clusters"
	case r.Verdict == verdictUnknown:
		return "kubectl describe federation " + r.Federation + " -n " + r.Namespace
	case r.Verdict == verdictRolling && r.Summary.Total > 0:
		return fmt.Sprintf("accord wait %s -n %s --revision %s", r.Federation, r.Namespace, short(r.Revision))
	}
	return ""
}

// nextWhy explains the first object that fails.
func (r statusReport) nextWhy() string {
	for _, c := range r.Clusters {
		for _, p := range c.Trouble {
			if p.State == v1alpha1.Failed {
				return nextWhy(p.Object, c.Cluster)
			}
		}
	}
	return ""
}
