package review

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/diff"
)

// text returns the review for a terminal.
func (r *Review) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	r.textSides(&b)
	for _, l := range r.Mistakes {
		textFinding(&b, l, r.tree)
	}
	if r.Report != nil {
		r.textSummary(&b)
		r.textOrder(&b)
		r.textEffects(&b)
		r.textLive(&b)
		r.textFindings(&b)
		for i := range r.Changes {
			textChange(&b, i, r.Changes[i], r.tree)
		}
	}
	for _, note := range r.Notes {
		text.Wrap(&b, "note: ", note)
	}
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
		text.Wrap(b, "  files ", text.List(r.Files, text.FewNames))
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
		fmt.Fprintln(b, text.Cut(strings.TrimRight(line, "\n"), text.Width))
	}
	fmt.Fprintln(b)
}

func (r *Review) textEffects(b *strings.Builder) {
	for _, e := range r.Effects {
		at := ""
		if e.At != (manifest.Origin{}) {
			at = " (" + nearOrigin(e.At, r.tree) + ")"
		}
		text.Wrap(b, fmt.Sprintf("%-8s ", e.Severity), fmt.Sprintf("%s%s [%s]", e.Message, at, e.Code))
		for i, v := range e.Values {
			if i == text.FewNames && len(e.Values) > text.FewNames+1 {
				fmt.Fprintf(b, "           and %d more\n", len(e.Values)-i)
				break
			}
			text.Wrap(b, "           ", valueLine(v))
		}
	}
	if len(r.Effects) > 0 {
		fmt.Fprintln(b)
	}
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

func (r *Review) textFindings(b *strings.Builder) {
	for _, f := range r.Findings {
		l := lint.Finding{Severity: f.Severity, Code: f.Code, Source: f.Source, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message, Fix: f.Fix}
		if !f.New {
			l.Message += " (was there before)"
		}
		textFinding(b, l, r.tree)
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(b)
	}
}

// textFinding writes a finding in the form of lint.
func textFinding(b *strings.Builder, l lint.Finding, near *load.Tree) {
	text.Wrap(b, "", fmt.Sprintf("%s [%s]", text.Join(": ", l.Place(near), string(l.Severity), l.Message), l.Code))
	if l.Fix != "" {
		text.Wrap(b, "    fix: ", l.Fix)
	}
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
	text.Wrap(b, fmt.Sprintf("#%d ", i+1), text.List(names, 4))
	for j, v := range c.Variants {
		textVariant(b, c, j, v)
	}
	fmt.Fprintln(b)
}

func textVariant(b *strings.Builder, c diff.Change, j int, v diff.Variant) {
	line := location(c, j, text.Printable)
	if len(v.Clusters) > 1 {
		line += " (" + text.List(v.Clusters, text.FewNames) + ")"
	}
	if len(v.Objects) > 0 {
		line += ", of " + text.List(text.Names(v.Objects), 4)
	}
	text.Wrap(b, "   ", text.Join(": ", line, detail(v, len(v.Hunks) > 0)))
	for _, h := range v.Hunks {
		fmt.Fprintln(b, text.Cut("     "+text.Printable(hunkPath(h)), text.Width))
		for _, line := range hunkLines(h) {
			fmt.Fprintln(b, text.Cut("       "+line, text.Width))
		}
	}
}
