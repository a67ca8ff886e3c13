package view

import (
	"cmp"
	"fmt"
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

// The verdicts of a federation whose staged rollout needs a person.
const (
	verdictHalted     = "HALTED"
	verdictRolledBack = "ROLLED BACK"
	verdictApproval   = "WAITING FOR APPROVAL"
	verdictPaused     = "PAUSED"
)

// stageVerdicts are the words of the first line, the most urgent first.
var stageVerdicts = []struct {
	of   stages.Phase
	word string
}{
	{stages.RolledBack, verdictRolledBack},
	{stages.Halted, verdictHalted},
	{stages.WaitingForApproval, verdictApproval},
	{stages.Paused, verdictPaused},
}

// stageVerdict returns the word for the rollouts of a Release, and "" if none needs a person.
func stageVerdict(rollouts []v1alpha1.RolloutStatus) string {
	for _, v := range stageVerdicts {
		if rolloutWithPhase(rollouts, v.of) != nil {
			return v.word
		}
	}
	return ""
}

// rolloutWithPhase returns the first rollout with that phase, nil if there is none.
func rolloutWithPhase(rollouts []v1alpha1.RolloutStatus, verdict stages.Phase) *v1alpha1.RolloutStatus {
	i := slices.IndexFunc(rollouts, func(r v1alpha1.RolloutStatus) bool { return r.Phase == string(verdict) })
	if i < 0 {
		return nil
	}
	return &rollouts[i]
}

// stageProgress returns "stage 2 of 3" if one rollout is under way, and the number of rollouts if there are several.
func (r Status) stageProgress() string {
	var under []v1alpha1.RolloutStatus
	for _, o := range r.Rollouts {
		if o.Phase != string(stages.Complete) {
			under = append(under, o)
		}
	}
	switch {
	case len(under) == 1 && under[0].StageIndex > 0:
		return fmt.Sprintf("stage %d of %d", under[0].StageIndex, len(under[0].Stages)+int(under[0].StagesOmitted))
	case len(under) > 1:
		return fmt.Sprintf("%d of %d rollouts under way", len(under), len(r.Rollouts)+int(r.RolloutsOmitted))
	}
	return ""
}

// writeStages writes a table for each rollout.
func (r Status) writeStages(b *strings.Builder, now time.Time) error {
	for i := range r.Rollouts {
		o := &r.Rollouts[i]
		fmt.Fprintf(b, "\n  rollout %s\n", text.Join("  ", text.Join(" ", o.Policy, stages.ShortID(o.ID)), o.Phase, rolloutDuration(o, now)))
		rows := [][]string{{"STAGE", "CLUSTERS", "ON " + text.ShortRevision(r.Revision), "HEALTHY", "NOTE"}}
		for _, s := range o.Stages {
			if o.Phase == string(stages.WaitingForApproval) && s.Name == o.Stage {
				s.Message = "" // the headline has it
			}
			rows = append(rows, []string{
				s.Name, fmt.Sprint(s.Clusters), fmt.Sprintf("%d/%d", s.UpdatedClusters, s.Clusters), fmt.Sprintf("%d/%d", s.Healthy, s.Clusters), phrase.Cut(text.Printable(stageNote(s)), 100),
			})
		}
		if err := text.Table(b, "  ", rows); err != nil {
			return err
		}
		if o.StagesOmitted > 0 {
			fmt.Fprintf(b, "  and %s\n", phrase.Count(int(o.StagesOmitted), "more stage"))
		}
		for _, line := range rolloutLines(o, now) {
			text.Wrap(b, "  ", line)
		}
	}
	if r.RolloutsOmitted > 0 {
		fmt.Fprintf(b, "\n  and %s\n", phrase.Count(int(r.RolloutsOmitted), "more rollout"))
	}
	return nil
}

// rolloutDuration returns "began 14m ago" or "took 14m".
func rolloutDuration(o *v1alpha1.RolloutStatus, now time.Time) string {
	switch {
	case o.StartedAt == nil:
		return ""
	case o.CompletedAt != nil:
		return "took " + text.Age(o.StartedAt, o.CompletedAt.Time)
	}
	return "began " + text.Age(o.StartedAt, now) + " ago"
}

// stageNote returns the message of a stage, with the number of failing, held and unreachable clusters.
func stageNote(s v1alpha1.StageStatus) string {
	parts := []string{s.Message}
	for _, c := range []struct {
		n    int32
		word string
	}{{s.Failing, "failing"}, {s.Held, "held"}, {s.Unreachable, "unreachable"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return text.Join("; ", parts...)
}

// rolloutLines returns the lines below the table: the message, the event that the rollout waits for, outdated clusters, rollback
// revisions.
func rolloutLines(o *v1alpha1.RolloutStatus, now time.Time) []string {
	var lines []string
	approval := o.Phase == string(stages.WaitingForApproval) // the headline names it, and the next step has the command
	if o.Message != "" && o.Phase != string(stages.Complete) && !approval {
		lines = append(lines, text.Join(": ", o.Phase, o.Message))
	}
	if o.WaitingFor != nil && !approval {
		lines = append(lines, waitingLine(o.WaitingFor, now))
	}
	if len(o.RollbackRevisions) > 0 {
		running := make([]string, len(o.RollbackRevisions))
		for i, revision := range o.RollbackRevisions {
			running[i] = text.ShortRevision(revision)
		}
		lines = append(lines, "given back: "+strings.Join(running, ", "))
	}
	if len(o.OutdatedClusters) > 0 {
		lines = append(lines, "left behind: "+text.Join(" and ", strings.Join(o.OutdatedClusters, ", "), omittedMore(o.OutdatedClustersOmitted)))
	}
	return lines
}

func omittedMore(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d more", n)
}

// waitingLine returns "waits for eu-7 to become healthy: ... (for 2m10s, at most until 12:24:10 UTC)".
func waitingLine(w *v1alpha1.WaitingFor, now time.Time) string {
	var times []string
	if since := text.Age(w.Since, now); since != "-" {
		times = append(times, "for "+since)
	}
	if w.Deadline != nil {
		times = append(times, "at most until "+clockTime(*w.Deadline, now))
	}
	line := "waits for " + text.Join(" ", w.Cluster, w.Message)
	if len(times) > 0 {
		line += " (" + strings.Join(times, ", ") + ")"
	}
	return line
}

// clockTime adds the date if it is not today.
func clockTime(at metav1.Time, now time.Time) string {
	layout := "15:04:05 UTC"
	if at.UTC().Format(time.DateOnly) != now.UTC().Format(time.DateOnly) {
		layout = "2006-01-02 15:04 UTC"
	}
	return at.UTC().Format(layout)
}

// nextStage returns the next step for the rollouts, and "" if there is none.
func (r Status) nextStage() string {
	if o := rolloutWithPhase(r.Rollouts, stages.WaitingForApproval); o != nil && r.Verdict == verdictApproval {
		return progress.ApproveCommand(o)
	}
	o := cmp.Or(rolloutWithPhase(r.Rollouts, stages.RolledBack), rolloutWithPhase(r.Rollouts, stages.Halted))
	switch {
	case o != nil && (r.Verdict == verdictHalted || r.Verdict == verdictRolledBack):
		return fmt.Sprintf("correct it and push; or, to try it again as it is: accord resume %s --rollout-id %s", o.Policy, stages.ShortID(o.ID))
	case r.Verdict == verdictPaused:
		return "accord resume " + rolloutWithPhase(r.Rollouts, stages.Paused).Policy
	}
	return ""
}
