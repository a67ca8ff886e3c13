package review

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/diff"
)

// text returns the review for a terminal.
func (r *Review) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	r.textSides(&b)
	r.mistakes().text(&b, r.tree)
	if r.Report != nil {
		r.textSummary(&b)
		r.textOrder(&b)
		r.Failover.Text(&b)
		for _, s := range []section{r.effects(), r.dryRun(), r.findings()} {
			s.text(&b, r.tree)
		}
		for _, c := range r.Controls {
			textControl(&b, c, r.tree)
		}
		for i := range r.Changes {
			textChange(&b, i, r.Changes[i], r.tree)
		}
	}
	r.notes().text(&b, r.tree)
	return b.String()
}

func (r *Review) textSides(b *strings.Builder) {
	base, head := "nothing", r.Head
	if r.Base != "" {
		base = r.Base
	}
	if r.Report == nil {
		fmt.Fprintf(b, "  base   %s\n  head   %s\n\n", base, head)
		return
	}
	rows := [][]string{{"base", base, r.Before.Digest}, {"head", head, r.After.Digest}}
	_ = text.Columns(b, "  ", rows) // a strings.Builder takes everything
	if len(r.Files) > 0 {
		text.Wrap(b, "  files ", phrase.List(r.Files, text.FewNames))
	}
	fmt.Fprintln(b)
}

// textSummary writes one line for each distinct change.
func (r *Review) textSummary(b *strings.Builder) {
	if r.Empty() {
		return
	}
	var rows [][]string
	for i, c := range r.Changes {
		rows = append(rows, []string{
			fmt.Sprintf("#%d", i+1), verbs[c.Variants[0].Action].sign + " " + text.Cell(subject(c), 48), text.Cell(summaryOf(c.Variants[0]), 60),
			text.Cell(reach(c), 40), cost(c),
		})
	}
	var lines strings.Builder
	_ = text.Columns(&lines, "  ", rows)
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(b, phrase.Cut(strings.TrimRight(line, "\n"), text.Width))
	}
	fmt.Fprintln(b)
}

// valueLine returns "apps/Deployment shop/web in eu-1: 3 -> 6".
func valueLine(v diff.Value) string {
	object, before, after := "", v.Before, v.After
	if v.Object != (manifest.ID{}) {
		object = v.Object.String()
	}
	if before == "" {
		before = "nothing"
	}
	if after == "" {
		after = "nothing"
	}
	return text.Join(": ", text.Join(" in ", object, v.Cluster), before+" -> "+after)
}

// nearOrigin returns file and line relative to the current directory.
func nearOrigin(at manifest.Origin, t *load.Tree) string {
	at.Path = t.DisplayPath(at.Path)
	return at.String()
}

// textChange writes one distinct change with its fields, for each variant.
func textChange(b *strings.Builder, i int, c diff.Change, near *load.Tree) {
	names := make([]string, len(c.Objects))
	for j, o := range c.Objects {
		at := ""
		if o.At != (manifest.Origin{}) {
			at = " (" + nearOrigin(o.At, near) + ")"
		}
		names[j] = o.ID.String() + at
	}
	text.Wrap(b, fmt.Sprintf("#%d ", i+1), phrase.List(names, 4))
	for j, v := range c.Variants {
		textVariant(b, c, j, v)
	}
	fmt.Fprintln(b)
}

// textControl writes one changed control manifest with its fields.
func textControl(b *strings.Builder, c diff.ControlChange, near *load.Tree) {
	at := ""
	if c.At != (manifest.Origin{}) {
		at = " (" + nearOrigin(c.At, near) + ")"
	}
	text.Wrap(b, verbs[c.Action].sign+" ", c.Title()+at+": "+controlWord(c))
	WriteHunks(b, c.Hunks)
	fmt.Fprintln(b)
}

// WriteHunks writes fields that differ, with their values before and after.
func WriteHunks(b *strings.Builder, hunks []diff.Hunk) {
	for _, h := range hunks {
		fmt.Fprintln(b, phrase.Cut("     "+text.Printable(hunkPath(h)), text.Width))
		for _, line := range hunkLines(h) {
			fmt.Fprintln(b, phrase.Cut("       "+line, text.Width))
		}
	}
}

func textVariant(b *strings.Builder, c diff.Change, j int, v diff.Variant) {
	line := location(c, j, text.Printable)
	if len(v.Clusters) > 1 {
		line += " (" + phrase.List(v.Clusters, text.FewNames) + ")"
	}
	if len(v.Objects) > 0 {
		line += ", of " + phrase.List(text.Names(v.Objects), 4)
	}
	text.Wrap(b, "   ", text.Join(": ", line, detail(v, len(v.Hunks) > 0)))
	WriteHunks(b, v.Hunks)
}
