package review

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// rejectedCode is the code of a rejection.
const rejectedCode = "live-refused"

// dryRunLine is one line of the report.
type dryRunLine struct {
	severity propagate.Severity
	text     string
}

// lines returns the lines of the report, the worst first.
func (l *DryRunReport) lines() []dryRunLine {
	var all []dryRunLine
	for _, r := range l.Refused {
		all = append(all, dryRunLine{propagate.Error, r.String()})
	}
	for _, u := range l.Unreachable {
		all = append(all, dryRunLine{propagate.Warning, u.Cluster + " could not be asked: " + u.Why})
	}
	for _, u := range l.Untried {
		all = append(all, dryRunLine{propagate.Note, "cannot be tried yet, " + u.Why + ": " + text.List(u.Objects, text.FewNames)})
	}
	return all
}

// String returns "eu-7 refuses apps/Deployment shop/web: admission webhook ...".
func (r rejection) String() string {
	verb := "refuses"
	if len(r.Clusters) > 1 {
		verb = "refuse"
	}
	return fmt.Sprintf("%s %s %s: %s", text.List(r.Clusters, text.FewNames), verb, r.Object, r.Message)
}

// blocking returns the reasons why the change must not be merged: those of the comparison, and the rejections.
func (r *Review) blocking() []diff.Reason {
	reasons := r.Report.Blocking()
	if r.Live != nil {
		for _, refusal := range r.Live.Refused {
			reasons = append(reasons, diff.Reason{Code: rejectedCode, Message: refusal.String()})
		}
	}
	return reasons
}

// textLive writes the dry-run for a terminal.
func (r *Review) textLive(b *strings.Builder) {
	if r.Live == nil {
		return
	}
	text.Wrap(b, fmt.Sprintf("%-8s ", "live"), r.Live.Verdict)
	for _, l := range r.Live.lines() {
		text.Wrap(b, fmt.Sprintf("%-8s ", l.severity), l.text)
	}
	fmt.Fprintln(b)
}

// livePart returns the dry-run as Markdown.
func (r *Review) livePart() markdownPart {
	p := markdownPart{noun: "live answer", more: moreItems}
	if r.Live == nil {
		return p
	}
	p.head = "\n**Live**: " + text.MarkdownText(r.Live.Verdict) + "\n"
	for _, l := range r.Live.lines() {
		p.items = append(p.items, []string{"- " + severitySign(l.severity) + " " + text.MarkdownText(l.text) + "\n"})
	}
	return p
}
