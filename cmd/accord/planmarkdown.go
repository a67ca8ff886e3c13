package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// marker is the line by which the sticky comment is found again; readers do not see it.
func (r *review) marker() string { return "<!-- accord:" + r.instance + ":plan -->" }

// markdown is the review as a comment of at most budget bytes. What a reviewer decides by has the first claim on the room:
// the verdict, what the changes mean, the table, findings; the fields of each change come last.
func (r *review) markdown(budget int) string {
	command := codeSpan(commandLine(r.command))
	top, bottom := r.markdownHead(), r.markdownFoot()
	parts := r.markdownParts()
	all := &fitting{}
	for _, p := range parts {
		all.left, all.shortened = append(all.left, count(len(p.items), p.noun)), append(all.shortened, p.lacks(len(p.items)))
	}
	reserve := len(all.omitted(budget, command))
	if len(top)+len(bottom)+reserve > budget {
		return r.markdownLeast(budget, command)
	}
	f := &fitting{room: budget - len(top) - len(bottom) - reserve}
	written := map[string]string{}
	for _, p := range parts {
		written[p.noun] = f.fit(p)
	}
	var b strings.Builder
	b.WriteString(top)
	for _, noun := range []string{"row", "mistake", "rollout", "effect", "live answer", "finding", "note", "change"} {
		b.WriteString(written[noun])
	}
	return b.String() + bottom + f.omitted(budget, command)
}

// markdownLeast is what fits in any budget.
func (r *review) markdownLeast(budget int, command string) string {
	top := r.marker() + "\n### accord plan\n\n"
	end := "\n\n**Left out** is all but the verdict. All of it: "
	if rest := command + "\n"; len(top)+len(end)+len(rest)+len(r.Verdict) <= budget {
		end += rest
	} else {
		end += "`accord plan`\n"
	}
	verdict := prose(r.Verdict)
	if len(top)+len(verdict)+len(end) > budget {
		verdict = prose(cutTo(r.Verdict, max(0, (budget-len(top)-len(end))/4)))
	}
	return top + verdict + end
}

func (r *review) markdownHead() string {
	title := []string{"accord plan"}
	if r.Report != nil {
		if len(r.Files) > 0 {
			files := make([]string, len(r.Files))
			for i, file := range r.Files {
				files[i] = codeSpan(cutTo(file, 80))
			}
			title = append(title, fewOf(files, 3))
		}
		title = append(title, codeSpan(shortDigest(r.After.Digest)))
	}
	base := "nothing"
	if r.Base != "" {
		base = codeSpan(r.Base)
	}
	return fmt.Sprintf("%s\n### %s\n\n%s**%s.** %s to %s.\n", r.marker(), strings.Join(title, " \u00b7 "), r.sign(), capital(prose(r.Verdict)), base, codeSpan(r.Head))
}

func (r *review) sign() string {
	if r.Result == planBlocked || r.Result == planInvalid {
		return ":x: "
	}
	return ""
}

// shortDigest is enough of a digest to tell two by.
func shortDigest(digest string) string { return digest[:min(len("sha256:")+12, len(digest))] }

// markdownFoot is how to undo and how to approve.
func (r *review) markdownFoot() string {
	if r.Report == nil || r.Result == planUnchanged {
		return ""
	}
	return fmt.Sprintf("\nUndo: revert this change, and the same plan runs backwards. Approve where the Federation asks for it: "+
		"`%s%s` as a line of the message of the commit that is merged, or the annotation `%s` with this digest on its Release.\n",
		v1alpha1.ApprovePlanTrailer, r.After.Digest, v1alpha1.ApprovedPlanAnnotation)
}

// markdownParts are in the order of their claim on the room.
func (r *review) markdownParts() []part {
	parts := []part{r.mistakesPart()}
	if r.Report != nil {
		parts = append(parts, r.effectsPart(), r.livePart(), r.orderPart(), r.tablePart())
	}
	parts = append(parts, r.notesPart())
	if r.Report != nil {
		parts = append(parts, r.findingsPart(), r.changesPart())
	}
	return parts
}

func moreItems(n int) string { return fmt.Sprintf("- and %d more\n", n) }

func (r *review) mistakesPart() part {
	p := part{head: "\n**Mistakes** that keep this from being planned\n", noun: "mistake", more: moreItems}
	for _, l := range r.Mistakes {
		p.items = append(p.items, []string{findingItem(l)})
	}
	return p
}

func (r *review) notesPart() part {
	p := part{head: "\n**Notes**\n", noun: "note", more: moreItems}
	for _, n := range r.Notes {
		p.items = append(p.items, []string{"- " + capital(prose(n)) + "\n"})
	}
	return p
}

func (r *review) effectsPart() part {
	p := part{head: "\n**Please look at**\n", noun: "effect", loses: "values", more: moreItems}
	for _, e := range r.Effects {
		at := ""
		if e.At != (manifest.Origin{}) {
			at = codeSpan(e.At.String())
		}
		short := join(" ", "- "+severitySign(e.Severity), prose(e.Message), at, codeSpan(e.Code)) + "\n"
		item := short
		for i, v := range e.Values {
			if i == fewNames && len(e.Values) > fewNames+1 {
				item += fmt.Sprintf("  - and %d more\n", len(e.Values)-i)
				break
			}
			item += "  - " + codeSpan(valueLine(v)) + "\n"
		}
		p.items = append(p.items, []string{item, short})
	}
	return p
}

// severitySign is what forges make a picture of.
func severitySign(s propagate.Severity) string {
	switch s {
	case propagate.Error:
		return ":x:"
	case propagate.Warning:
		return ":warning:"
	}
	return ":information_source:"
}

func (r *review) findingsPart() part {
	p := part{head: "\n**Lint** of what changed\n", noun: "finding", more: moreItems}
	for _, f := range r.Findings {
		l := lintLine{Severity: f.Severity, Code: f.Code, Source: f.Source, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message, Fix: f.Fix}
		if !f.New {
			l.Message += " (was there before)"
		}
		p.items = append(p.items, []string{findingItem(l)})
	}
	return p
}

// findingItem is a finding with its place in the repository.
func findingItem(l lintLine) string {
	at := codeSpan(l.place(&tree{}))
	fix := ""
	if l.Fix != "" {
		fix = "Fix: " + prose(l.Fix)
	}
	return join(" ", "- "+severitySign(l.Severity), at, prose(l.Message), codeSpan(l.Code), fix) + "\n"
}

func (r *review) tablePart() part {
	p := part{
		head: "\n| | what | change | clusters | |\n|---|---|---|---|---|\n", noun: "row",
		more: func(n int) string { return fmt.Sprintf("| | and %d more | | | |\n", n) },
	}
	for i, c := range r.Changes {
		p.items = append(p.items, []string{fmt.Sprintf("| %s %d | %s | %s | %s | %s |\n", codeSpan(verbs[c.Variants[0].Action].sign), i+1,
			tableCell(cutTo(subject(c), 120)), tableCell(cutTo(gist(c.Variants[0]), 120)),
			tableCell(spread(c)), cost(c))})
	}
	return p
}

// changesPart has one block to unfold for each change; in brief with few of the fields, or none.
func (r *review) changesPart() part {
	p := part{head: "\n", noun: "change", loses: "fields"}
	for i, c := range r.Changes {
		p.items = append(p.items, []string{changeBlock(i, c, math.MaxInt), changeBlock(i, c, fewNames), changeBlock(i, c, 0)})
	}
	return p
}

// changeBlock shows at most so many fields of each variant.
func changeBlock(i int, c diff.Change, fields int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%d. %s, %s</summary>\n\n", i+1, htmlCode(subject(c)), where(c, 0, htmlCode))
	for _, o := range c.Objects[:min(len(c.Objects), 2*fewNames)] {
		fmt.Fprintln(&b, join(" ", "- "+codeSpan(o.ID.String()), codeSpan(o.At.String())))
	}
	if rest := len(c.Objects) - 2*fewNames; rest > 0 {
		fmt.Fprintf(&b, "- and %d more\n", rest)
	}
	for j, v := range c.Variants {
		b.WriteString("\n" + variantLine(c, j, v))
		if shown := v.Hunks[:min(fields, len(v.Hunks))]; len(shown) > 0 {
			b.WriteString("\n" + fenced("diff", fieldLines(shown)))
		}
		if rest := len(v.Hunks) - fields; rest > 0 {
			fmt.Fprintf(&b, "\n%s not shown\n", count(rest, "field"))
		}
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// fieldLines are the fields as a diff, each under its path.
func fieldLines(hunks []diff.Hunk) []string {
	var lines []string
	for _, h := range hunks {
		lines = append(append(lines, "@@ "+printable(hunkPath(h))+" @@"), hunkLines(h)...)
	}
	return lines
}

// variantLine is where a variant is, and what its fields do not say.
func variantLine(c diff.Change, j int, v diff.Variant) string {
	names := make([]string, len(v.Clusters))
	for k, name := range v.Clusters {
		names[k] = codeSpan(name)
	}
	line := where(c, j, codeSpan)
	if len(v.Clusters) > 1 {
		line += ": " + fewOf(names, 3*fewNames)
	}
	if len(v.Objects) > 0 {
		ids := make([]string, len(v.Objects))
		for k, id := range v.Objects {
			ids[k] = codeSpan(id.String())
		}
		line += ", of " + fewOf(ids, fewNames)
	}
	return join(": ", capital(line), prose(detail(v, len(v.Hunks) > 0))) + "\n"
}
