package review

import (
	"fmt"
	"math"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/review/fit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// Marker returns the line that identifies the sticky comment; it is not visible.
func (r *Review) Marker() string { return marker(r.instance) }

func marker(instance string) string { return "<!-- accord:" + instance + ":plan -->" }

// Markdown returns the review as a comment of at most budget bytes.
func (r *Review) Markdown(budget int) string {
	marker := r.Marker() + "\n"
	return marker + r.markdown(budget-len(marker), budget)
}

// markdown returns the review in at most room bytes of a comment, which has at most budget bytes. The verdict, the effects, the table
// and the findings get their space first, the fields of each change last.
func (r *Review) markdown(room, budget int) string {
	command := text.CodeSpan(text.CommandLine(r.command))
	top, bottom := r.markdownHead(), r.markdownFoot()
	parts := r.markdownParts()
	all := &fit.Budget{}
	for _, p := range parts {
		all.Left, all.Shortened = append(all.Left, phrase.Count(len(p.Items), p.Noun)), append(all.Shortened, p.Lacks(len(p.Items)))
	}
	reserve := len(all.Omitted(budget, command))
	if len(top)+len(bottom)+reserve > room {
		return r.markdownLeast(room, command)
	}
	f := &fit.Budget{Room: room - len(top) - len(bottom) - reserve}
	written := map[string]string{}
	for _, p := range parts {
		written[p.Noun] = f.Fit(p)
	}
	var b strings.Builder
	b.WriteString(top)
	for _, noun := range []string{"row", "mistake", "effect", "rollout", "simulated failure", "control manifest", "live answer", "finding", "note", "change"} {
		b.WriteString(written[noun])
	}
	return b.String() + bottom + f.Omitted(budget, command)
}

// markdownLeast returns the verdict alone, which fits in any room.
func (r *Review) markdownLeast(room int, command string) string {
	top := "### accord plan\n\n"
	end := "\n\n**Left out** is all but the verdict. All of it: "
	if rest := command + "\n"; len(top)+len(end)+len(rest)+len(r.Verdict) <= room {
		end += rest
	} else {
		end += "`accord plan`\n"
	}
	verdict := text.MarkdownText(r.Verdict)
	if len(top)+len(verdict)+len(end) > room {
		verdict = text.MarkdownText(phrase.Cut(r.Verdict, max(0, (room-len(top)-len(end))/4)))
	}
	return top + verdict + end
}

func (r *Review) markdownHead() string {
	title := []string{"accord plan", text.CodeSpan(r.Federation)}
	if r.Report != nil {
		title = append(title, text.CodeSpan(text.ShortDigest(r.After.Digest)))
	}
	base := "nothing"
	if r.Base != "" {
		base = text.CodeSpan(r.Base)
	}
	return fmt.Sprintf("### %s\n\n%s**%s.** %s to %s%s.\n", strings.Join(title, " \u00b7 "), r.Result.sign(), text.Capitalize(text.MarkdownText(r.Verdict)), base, text.CodeSpan(r.Head), r.markdownFiles())
}

// Bounds of the files in the head of the comment.
const (
	maxHeadFiles = 4
	maxHeadFile  = 80 // characters of a path
)

// markdownFiles returns ": `web.yaml`, `policies.yaml`", and "" if no file differs.
func (r *Review) markdownFiles() string {
	spans := make([]string, len(r.Files))
	for i, name := range r.Files {
		spans[i] = text.CodeSpan(phrase.Cut(name, maxHeadFile))
	}
	return text.WithPrefix(": ", phrase.List(spans, maxHeadFiles))
}

func (r Result) sign() string {
	if r == Blocked || r == Invalid {
		return ":x: "
	}
	return ""
}

// markdownFoot explains how to revert and how to approve the change.
func (r *Review) markdownFoot() string {
	if r.Report == nil || r.Result == Unchanged {
		return ""
	}
	return fmt.Sprintf("\n<details><summary>Undo and approve</summary>\n\nUndo: revert this change, and the same plan runs backwards.\n\n"+
		"Approve where the Federation asks for it, by a command:\n\n%s\nor by a trailer of the commit that is merged:\n\n%s\n</details>\n",
		text.CodeBlock("", []string{"accord approve --plan " + r.After.Digest}), text.CodeBlock("", []string{v1alpha1.ApprovePlanTrailer + ": " + r.After.Digest}))
}

// markdownParts returns the parts in the order in which they get their space.
func (r *Review) markdownParts() []fit.Part {
	parts := []fit.Part{r.mistakes().part()}
	if r.Report != nil {
		parts = append(parts, r.effects().part(), r.controlsPart(), r.dryRun().part(), r.orderPart(), r.outagePart(), r.tablePart())
	}
	parts = append(parts, r.notes().part())
	if r.Report != nil {
		parts = append(parts, r.findings().part(), r.changesPart())
	}
	return parts
}

// outagePart returns the timeline of failing clusters.
func (r *Review) outagePart() fit.Part {
	p := fit.Part{Head: "\n", Noun: "simulated failure"}
	if timeline := r.Failover.Markdown(); timeline != "" {
		p.Items = [][]string{{timeline}}
	}
	return p
}

func moreItems(n int) string { return fmt.Sprintf("- and %d more\n", n) }

// severitySign returns an emoji.
func severitySign(s propagate.Severity) string {
	switch s {
	case propagate.Error:
		return ":x:"
	case propagate.Warning:
		return ":warning:"
	}
	return ":information_source:"
}

// tablePart has a row for each change. Its last column may be too wide for a narrow screen, so the clusters and the restarts precede it.
func (r *Review) tablePart() fit.Part {
	p := fit.Part{
		Head: "\n| | what | clusters | change |\n|---|---|---|---|\n", Noun: "row",
		More: func(n int) string { return fmt.Sprintf("| | and %d more | | |\n", n) },
	}
	for i, c := range r.Changes {
		p.Items = append(p.Items, []string{fmt.Sprintf("| %s\u00a0%d | %s | %s | %s |\n", text.CodeSpan(verbs[c.Variants[0].Action].sign), i+1,
			text.TableCell(phrase.Cut(subject(c), 120)), clustersCell(c), text.TableCell(phrase.Cut(summaryOf(c.Variants[0]), 120)))})
	}
	return p
}

// clustersCell returns "28 clusters, eu-7 differs, **restarts 6 pods**".
func clustersCell(c diff.Change) string {
	words := text.MarkdownText(strings.ReplaceAll(reach(c), "|", "\u00a6"))
	return text.Join(", ", words, text.WithPrefix("**", text.WithSuffix(cost(c), "**")))
}

// changesPart has one collapsed block for each change. Shorter forms have fewer fields, or none.
func (r *Review) changesPart() fit.Part {
	p := fit.Part{Head: "\n", Noun: "change", Loses: "fields"}
	for i, c := range r.Changes {
		p.Items = append(p.Items, []string{changeBlock(i, c, math.MaxInt), changeBlock(i, c, text.FewNames), changeBlock(i, c, 0)})
	}
	return p
}

// controlsPart has one collapsed block for each changed control manifest. Shorter forms have fewer fields, or none.
func (r *Review) controlsPart() fit.Part {
	p := fit.Part{Head: "\n**Decides, and no object shows it**\n", Noun: "control manifest", Loses: "fields", More: moreItems}
	for _, c := range r.Controls {
		p.Items = append(p.Items, []string{controlBlock(c, math.MaxInt), controlBlock(c, text.FewNames), controlBlock(c, 0)})
	}
	return p
}

// controlBlock shows at most so many fields.
func controlBlock(c diff.ControlChange, fields int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s %s</summary>\n\n", text.HTMLCode(c.Title()), verbs[c.Action].word)
	if c.At != (manifest.Origin{}) {
		fmt.Fprintln(&b, text.CodeSpan(c.At.String()))
	}
	writeFields(&b, c.Hunks, fields)
	b.WriteString("\n</details>\n")
	return b.String()
}

// writeFields writes at most so many fields as a diff, and the number of the others.
func writeFields(b *strings.Builder, hunks []diff.Hunk, fields int) {
	if shown := hunks[:min(fields, len(hunks))]; len(shown) > 0 {
		b.WriteString("\n" + text.CodeBlock("diff", fieldLines(shown)))
	}
	if rest := len(hunks) - fields; rest > 0 {
		fmt.Fprintf(b, "\n%s not shown\n", phrase.Count(rest, "field"))
	}
}

// changeBlock shows at most so many fields of each variant.
func changeBlock(i int, c diff.Change, fields int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%d. %s, %s</summary>\n\n", i+1, text.HTMLCode(subject(c)), location(c, 0, text.HTMLCode))
	for _, o := range c.Objects[:min(len(c.Objects), 2*text.FewNames)] {
		fmt.Fprintln(&b, text.Join(" ", "- "+text.CodeSpan(o.ID.String()), text.CodeSpan(o.At.String())))
	}
	if rest := len(c.Objects) - 2*text.FewNames; rest > 0 {
		fmt.Fprintf(&b, "- and %d more\n", rest)
	}
	for j, v := range c.Variants {
		b.WriteString("\n" + variantLine(c, j, v))
		writeFields(&b, v.Hunks, fields)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// fieldLines returns the fields as a diff, each below its path.
func fieldLines(hunks []diff.Hunk) []string {
	var lines []string
	for _, h := range hunks {
		lines = append(append(lines, "@@ "+text.Printable(hunkPath(h))+" @@"), hunkLines(h)...)
	}
	return lines
}

// variantLine returns the clusters of a variant, and the part that its fields do not show.
func variantLine(c diff.Change, j int, v diff.Variant) string {
	names := make([]string, len(v.Clusters))
	for k, name := range v.Clusters {
		names[k] = text.CodeSpan(name)
	}
	line := location(c, j, text.CodeSpan)
	if len(v.Clusters) > 1 {
		line += ": " + phrase.List(names, 3*text.FewNames)
	}
	if len(v.Objects) > 0 {
		ids := make([]string, len(v.Objects))
		for k, id := range v.Objects {
			ids[k] = text.CodeSpan(id.String())
		}
		line += ", of " + phrase.List(ids, text.FewNames)
	}
	return text.Join(": ", text.Capitalize(line), text.MarkdownText(detail(v, len(v.Hunks) > 0))) + "\n"
}
