package review

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/review/fit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// Batch is the reviews of all Federations that a repository delivers.
type Batch struct {
	Verdict string `json:"verdict"`
	// Result is the worst result of the reviews.
	Result Result `json:"result"`
	Base   string `json:"base"`
	Head   string `json:"head"`
	// Notes name the Federations without a review, with the reason.
	Notes []string `json:"notes"`
	// Federations have the order of their names.
	Federations []*Review `json:"federations"`

	removed  []string // Federations that only base declares
	instance string
	command  []string
}

// DocumentKind implements text.Document.
func (*Batch) DocumentKind() string { return "PlanList" }

// allInstance is the instance of the comment about all Federations. The instance of one Federation has a slash.
const allInstance = "all"

// Review reviews the selected Federation, or all of them.
func (f *Options) Review(ctx context.Context, dir string, stderr io.Writer) (Outcome, error) {
	if f.All {
		return f.RunAll(ctx, dir, stderr)
	}
	return f.Run(ctx, dir, stderr)
}

// RunAll reviews each Federation that the repository or the hub declares, with a source in the repository. A Federation that cannot be
// reviewed ends it, because the worst result is unknown then.
func (f *Options) RunAll(ctx context.Context, dir string, stderr io.Writer) (*Batch, error) {
	one := *f
	end, err := one.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer end()
	d, err := one.selectAll(ctx)
	if err != nil {
		return nil, err
	}
	b := &Batch{
		Base: d.base, Head: d.head, Notes: append([]string{}, d.Notes...), Federations: []*Review{}, removed: d.Removed,
		instance: cmp.Or(f.Instance, allInstance), command: f.commandOfAll(dir),
	}
	for i := range d.each {
		r, err := d.each[i].Run(ctx, dir, stderr)
		if err != nil {
			return nil, fmt.Errorf("planning %s: %w", d.each[i].Tree.FederationName, err)
		}
		b.Federations = append(b.Federations, r)
	}
	slices.SortFunc(b.Federations, func(x, y *Review) int { return cmp.Compare(x.Federation, y.Federation) })
	b.conclude()
	return b, nil
}

// commandOfAll returns the command that prints the same batch.
func (f *Options) commandOfAll(dir string) []string {
	args := []string{"accord", "plan"}
	if dir != "" {
		args = append(args, dir)
	}
	args = append(args, "--all")
	for _, flag := range [][2]string{{"--base", f.Base}, {"--head", f.Head}, {"--fleet-file", f.Tree.FleetFile}} {
		if flag[1] != "" {
			args = append(args, flag[0], flag[1])
		}
	}
	return args
}

// conclude sets the result and the verdict: "3 Federations: 1 blocked, 2 changed".
func (b *Batch) conclude() {
	var counts []string
	count := func(n int, word string) {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, word))
		}
	}
	count(len(b.with(Invalid)), "cannot be planned")
	count(len(b.with(Blocked)), "blocked")
	count(len(b.with(Changed)), "changed")
	count(len(b.with(Unchanged)), "unchanged")
	count(len(b.removed), "removed")
	b.Verdict = phrase.Count(len(b.Federations)+len(b.removed), "Federation") + ": " + strings.Join(counts, ", ")
	switch all := b.worstFirst(); {
	case len(b.removed) > 0 && (len(all) == 0 || all[0].Result == Unchanged):
		b.Result = Changed
	default:
		b.Result = all[0].Result
	}
}

// with returns the reviews with a result.
func (b *Batch) with(result Result) []*Review {
	return slices.DeleteFunc(slices.Clone(b.Federations), func(r *Review) bool { return r.Result != result })
}

// worstFirst returns the reviews in the order of their results, then of their names.
func (b *Batch) worstFirst() []*Review {
	return slices.Concat(b.with(Invalid), b.with(Blocked), b.with(Changed), b.with(Unchanged))
}

// changing returns the reviews with something to read, the worst first.
func (b *Batch) changing() []*Review {
	return b.worstFirst()[:len(b.Federations)-len(b.with(Unchanged))]
}

// Conclusion returns the worst result.
func (b *Batch) Conclusion() Result { return b.Result }

// Description returns the verdict.
func (b *Batch) Description() string { return b.Verdict }

// Marker returns the line that identifies the sticky comment; it is not visible.
func (b *Batch) Marker() string { return marker(b.instance) }

// Print writes the batch in a format.
func (b *Batch) Print(out io.Writer, f text.Format, budget int) error {
	return write(out, f, budget, b)
}

// text returns the verdicts, and the reviews of the Federations that change.
func (b *Batch) text() string {
	var all strings.Builder
	fmt.Fprintln(&all, b.Verdict)
	var rows [][]string
	for _, r := range b.worstFirst() {
		rows = append(rows, []string{text.Cell(r.Federation, 60), r.Verdict})
	}
	_ = text.Columns(&all, "  ", rows) // a strings.Builder takes everything
	for _, n := range b.Notes {
		text.Wrap(&all, "note: ", n)
	}
	for _, r := range b.changing() {
		fmt.Fprintf(&all, "\nFederation %s\n%s\n", text.Printable(r.Federation), strings.TrimRight(r.text(), "\n"))
	}
	return all.String()
}

// Markdown returns the batch as a comment of at most budget bytes. The table of the Federations and the notes get their space first. What
// is left is divided between the Federations that change, the worst first.
func (b *Batch) Markdown(budget int) string {
	command := text.CodeSpan(text.CommandLine(b.command))
	shown, rows, notes := b.changing(), b.tablePart(), notesSection(b.Notes).part()
	all := &fit.Budget{Left: []string{phrase.Count(len(rows.Items), rows.Noun), phrase.Count(len(notes.Items), notes.Noun), phrase.Count(len(shown), "plan")}}
	top := b.markdownHead(fmt.Sprintf(" %s to %s.", text.CodeSpan(cmp.Or(b.Base, "nothing")), text.CodeSpan(b.Head)))
	reserve := len(all.Omitted(budget, command))
	if len(top)+reserve > budget {
		command = "`accord plan --all`"
		top, reserve = b.markdownHead(""), len(all.Omitted(budget, command))
	}
	f := &fit.Budget{Room: budget - len(top) - reserve}
	document := top + f.Fit(rows) + f.Fit(notes)
	for i, r := range shown {
		share := f.Room / (len(shown) - i)
		if share < MinBudget {
			f.Left = append(f.Left, phrase.Count(len(shown)-i, "plan"))
			break
		}
		section := "\n" + r.markdown(share-1, budget)
		f.Room -= len(section)
		document += section
	}
	return document + f.Omitted(budget, command)
}

// markdownHead returns the marker, the title and the verdict.
func (b *Batch) markdownHead(sides string) string {
	return fmt.Sprintf("%s\n### accord plan\n\n%s**%s.**%s\n", b.Marker(), b.Result.sign(), text.MarkdownText(b.Verdict), sides)
}

// tablePart has a row for each Federation.
func (b *Batch) tablePart() fit.Part {
	p := fit.Part{
		Head: "\n| | Federation | |\n|---|---|---|\n", Noun: "row",
		More: func(n int) string { return fmt.Sprintf("| | and %d more | |\n", n) },
	}
	for _, r := range b.worstFirst() {
		p.Items = append(p.Items, []string{fmt.Sprintf("| %s | %s | %s |\n", strings.TrimSpace(r.Result.sign()), text.CodeSpan(r.Federation), text.MarkdownText(phrase.Cut(r.Verdict, 120)))})
	}
	return p
}
