package review

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/review/fit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// sequenceChanges reports whether the stages of a rollout change.
func (r *Review) sequenceChanges() bool {
	for _, o := range r.Rollouts {
		if o.hasTwoColumns() {
			return true
		}
	}
	return false
}

// hasTwoColumns reports whether before and after differ.
func (o Rollout) hasTwoColumns() bool {
	if o.Before == nil || o.After == nil {
		return true
	}
	for _, row := range o.rows() {
		if row.before != row.after {
			return true
		}
	}
	return false
}

// sequenceRow is one line of the comparison.
type sequenceRow struct{ about, before, after string }

// rows compares the stages of both sides.
func (o Rollout) rows() []sequenceRow {
	return []sequenceRow{
		{"order", o.Before.steps(), o.After.steps()},
		{"at once", o.Before.atOnce(), o.After.atOnce()},
		{"gate", o.Before.gates(), o.After.gates()},
		{"on failure", o.Before.failure(), o.After.failure()},
		{"longest time to finish", o.Before.longest(), o.After.longest()},
	}
}

// steps returns "canary (eu-1) -> europe (12) -> world (17)".
func (o *sequence) steps() string {
	if o == nil {
		return "all at once"
	}
	steps := make([]string, len(o.Stages))
	for i, s := range o.Stages {
		who := strconv.Itoa(len(s.Clusters))
		if len(s.Clusters) == 1 {
			who = s.Clusters[0]
		}
		steps[i] = fmt.Sprintf("%s (%s)", s.Name, who)
	}
	return strings.Join(steps, " -> ")
}

// perStage joins a property of the stages. It returns a single value if all stages have the same.
func (o *sequence) perStage(of func(stage) string) string {
	var parts []string
	same := true
	for i, s := range o.Stages {
		same = same && of(s) == of(o.Stages[0])
		if i == 0 || of(s) != "" {
			parts = append(parts, s.Name+": "+of(s))
		}
	}
	if same {
		return of(o.Stages[0])
	}
	return strings.Join(parts, "; ")
}

func (o *sequence) atOnce() string {
	if o == nil {
		return "all"
	}
	return o.perStage(func(s stage) string {
		if s.AtOnce == "" {
			return "all of the stage"
		}
		return s.AtOnce
	})
}

func (o *sequence) gates() string {
	if o == nil {
		return "none"
	}
	return o.perStage(func(s stage) string { return strings.Join(s.Gate, " + ") })
}

// failure returns the action when the failure budget is exceeded.
func (o *sequence) failure() string {
	if o == nil {
		return "continue"
	}
	what := "halt, the others keep what they run"
	if o.OnFailure == "Rollback" {
		what = "roll back, the others keep what they run"
	}
	return text.Join("; ", what, text.WithPrefix("unhealthy clusters a stage can bear: ", o.MaxUnhealthy), text.WithPrefix("unreachable ones: ", o.MaxUnreachable))
}

func (o *sequence) longest() string {
	if o == nil {
		return "-"
	}
	if len(o.Unbounded) > 0 {
		return text.Join(", ", o.Longest, "and unbounded: "+strings.Join(o.Unbounded, ", "))
	}
	return o.Longest
}

// rollbackText returns "1b77d03: eu-1, eu-2; no previous version, where it is new: us-1".
func (o Rollout) rollbackText() string {
	var parts []string
	for _, w := range o.Back {
		clusters := phrase.List(w.Clusters, text.FewNames)
		switch {
		case w.New:
			parts = append(parts, "nothing to give back, where it is new: "+clusters)
		case w.Revision == "":
			parts = append(parts, "what each last had healthy: "+clusters)
		default:
			parts = append(parts, text.ShortRevision(w.Revision)+": "+clusters)
		}
	}
	return strings.Join(parts, "; ")
}

// reach returns "12 of 30 clusters".
func (o Rollout) reach() string {
	all := 0
	if o.After != nil {
		for _, s := range o.After.Stages {
			all += len(s.Clusters)
		}
	}
	return text.OutOf(len(o.Changing), max(all, len(o.Changing)))
}

// warnings returns the reasons that prevent or delay the rollout.
func (o Rollout) warnings() []string {
	var all []string
	if o.After == nil {
		return []string{"there is no RolloutPolicy " + o.Policy + " any more: what it moved changes at once"}
	}
	if o.After.Paused {
		all = append(all, text.Join(": ", "paused", o.After.PauseReason))
	}
	for _, s := range o.After.Stages {
		if s.Paused {
			all = append(all, text.Join(": ", "stage "+s.Name+" is paused", s.PauseReason))
		}
	}
	all = append(all, o.After.Faults...)
	for _, list := range []map[string]string{o.Held, o.Unreachable} {
		for _, name := range o.Changing {
			if why := list[name]; why != "" {
				all = append(all, name+": "+why)
			}
		}
	}
	return all
}

// textOrder writes the stages for a terminal.
func (r *Review) textOrder(b *strings.Builder) {
	for _, o := range r.Rollouts {
		text.Wrap(b, "order   ", text.Join(" ", "RolloutPolicy", o.Policy, o.at(r.tree)+": "+o.reach()+" change"))
		for _, row := range o.rows() {
			head := fmt.Sprintf("  %-24s", row.about)
			if !o.hasTwoColumns() {
				text.Wrap(b, head, row.after)
				continue
			}
			text.Wrap(b, head, row.before)
			text.Wrap(b, fmt.Sprintf("  %22s  ", "->"), row.after)
		}
		if o.After != nil && len(o.Back) > 0 {
			text.Wrap(b, fmt.Sprintf("  %-24s", "a rollback gives back"), o.rollbackText())
		}
		for _, why := range o.warnings() {
			text.Wrap(b, "  ! ", why)
		}
		o.Simulation.text(b)
		fmt.Fprintln(b)
	}
}

// at returns "(rollout.yaml:1)".
func (o Rollout) at(near *load.Tree) string {
	if o.At == "" {
		return ""
	}
	return "(" + near.DisplayPath(o.At) + ")"
}

// orderPart returns the stages as Markdown, one item a rollout.
func (r *Review) orderPart() fit.Part {
	p := fit.Part{Head: "\n**Order**\n", Noun: "rollout", Loses: "simulation", More: moreItems}
	for _, o := range r.Rollouts {
		short := o.markdown()
		p.Items = append(p.Items, []string{short + o.Simulation.markdown(), short})
	}
	return p
}

func (o Rollout) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nRolloutPolicy %s: %s change\n\n", text.Join(" ", text.CodeSpan(o.Policy), text.CodeSpan(o.At)), o.reach())
	if o.hasTwoColumns() {
		b.WriteString("| | before | after |\n|---|---|---|\n")
		for _, row := range o.rows() {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", row.about, text.TableCell(row.before), text.TableCell(row.after))
		}
	} else {
		b.WriteString("| | before and after |\n|---|---|\n")
		for _, row := range o.rows() {
			fmt.Fprintf(&b, "| %s | %s |\n", row.about, text.TableCell(row.after))
		}
	}
	if o.After != nil && len(o.Back) > 0 {
		fmt.Fprintf(&b, "\nA rollback would give back %s.\n", text.MarkdownText(o.rollbackText()))
	}
	for _, why := range o.warnings() {
		b.WriteString("- :warning: " + text.MarkdownText(why) + "\n")
	}
	return b.String()
}
