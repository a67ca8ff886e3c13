package main

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/diff"
)

// text is the review for a terminal.
func (r *review) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	r.textSides(&b)
	for _, l := range r.Mistakes {
		textFinding(&b, l, r.near)
	}
	if r.Report != nil {
		r.textSummary(&b)
		r.textOrder(&b)
		r.textEffects(&b)
		r.textLive(&b)
		r.textFindings(&b)
		for i := range r.Changes {
			textChange(&b, i, r.Changes[i], r.near)
		}
	}
	for _, note := range r.Notes {
		textWrapped(&b, "note: ", note)
	}
	return b.String()
}

func (r *review) textSides(b *strings.Builder) {
	base, head := "nothing", r.Head
	if r.Base != "" {
		base = r.Base
	}
	if r.Report == nil {
		fmt.Fprintf(b, "  base   %s\n  head   %s\n\n", base, head)
		return
	}
	rows := [][]string{{"base", base, r.Before.Digest}, {"head", head, r.After.Digest}}
	_ = columns(b, "  ", rows) // a strings.Builder takes everything
	if len(r.Files) > 0 {
		textWrapped(b, "  files ", fewOf(r.Files, fewNames))
	}
	fmt.Fprintln(b)
}

// textSummary is one line for each distinct change.
func (r *review) textSummary(b *strings.Builder) {
	if r.Empty() {
		return
	}
	var rows [][]string
	for i, c := range r.Changes {
		rows = append(rows, []string{
			fmt.Sprintf("#%d", i+1), verbs[c.Variants[0].Action].sign + " " + cell(subject(c), 48), cell(gist(c.Variants[0]), 60),
			cell(spread(c), 40), cost(c),
		})
	}
	var lines strings.Builder
	_ = columns(&lines, "  ", rows)
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(b, cutTo(strings.TrimRight(line, "\n"), textWidth))
	}
	fmt.Fprintln(b)
}

func (r *review) textEffects(b *strings.Builder) {
	for _, e := range r.Effects {
		at := ""
		if e.At != (manifest.Origin{}) {
			at = " (" + nearOrigin(e.At, r.near) + ")"
		}
		textWrapped(b, fmt.Sprintf("%-8s ", e.Severity), fmt.Sprintf("%s%s [%s]", e.Message, at, e.Code))
		for i, v := range e.Values {
			if i == fewNames && len(e.Values) > fewNames+1 {
				fmt.Fprintf(b, "           and %d more\n", len(e.Values)-i)
				break
			}
			textWrapped(b, "           ", valueLine(v))
		}
	}
	if len(r.Effects) > 0 {
		fmt.Fprintln(b)
	}
}

// valueLine is "apps/Deployment shop/web in eu-1: 3 -> 6".
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
	return join(": ", join(" in ", object, v.Cluster), before+" -> "+after)
}

func (r *review) textFindings(b *strings.Builder) {
	for _, f := range r.Findings {
		l := lintLine{Severity: f.Severity, Code: f.Code, Source: f.Source, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message, Fix: f.Fix}
		if !f.New {
			l.Message += " (was there before)"
		}
		textFinding(b, l, r.near)
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(b)
	}
}

// textFinding is a finding as lint prints it.
func textFinding(b *strings.Builder, l lintLine, near *tree) {
	textWrapped(b, "", fmt.Sprintf("%s [%s]", join(": ", l.place(near), string(l.Severity), l.Message), l.Code))
	if l.Fix != "" {
		textWrapped(b, "    fix: ", l.Fix)
	}
}

// nearOrigin is file and line as seen from where accord was called.
func nearOrigin(at manifest.Origin, t *tree) string {
	at.Path = t.near(at.Path)
	return at.String()
}

// textChange is one distinct change with its fields, for each group of clusters in which it is the same.
func textChange(b *strings.Builder, i int, c diff.Change, near *tree) {
	names := make([]string, len(c.Objects))
	for j, o := range c.Objects {
		at := ""
		if o.At != (manifest.Origin{}) {
			at = " (" + nearOrigin(o.At, near) + ")"
		}
		names[j] = o.ID.String() + at
	}
	textWrapped(b, fmt.Sprintf("#%d ", i+1), fewOf(names, 4))
	for j, v := range c.Variants {
		textVariant(b, c, j, v)
	}
	fmt.Fprintln(b)
}

func textVariant(b *strings.Builder, c diff.Change, j int, v diff.Variant) {
	line := where(c, j, printable)
	if len(v.Clusters) > 1 {
		line += " (" + fewOf(v.Clusters, fewNames) + ")"
	}
	if len(v.Objects) > 0 {
		line += ", of " + fewOf(names(v.Objects), 4)
	}
	textWrapped(b, "   ", join(": ", line, detail(v, len(v.Hunks) > 0)))
	for _, h := range v.Hunks {
		fmt.Fprintln(b, cutTo("     "+printable(hunkPath(h)), textWidth))
		for _, line := range hunkLines(h) {
			fmt.Fprintln(b, cutTo("       "+line, textWidth))
		}
	}
}
