package review

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/review/fit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

// section is one list of a review. Text and Markdown print the same sections, each in its own form.
type section struct {
	// title is the heading in Markdown. The verdict follows it.
	title, verdict string
	// noun of an entry: "effect"; loses is the noun of the parts that the shorter form of an entry lacks.
	noun, loses string
	entries     []entry
	// asLint prints the place of an entry first, as lint does.
	asLint bool
	// spaced puts an empty line behind the section in text.
	spaced bool
}

// entry is one line of a section, with values below it. A note has no severity.
type entry struct {
	lint.Finding
	values []string
}

func (r *Review) mistakes() section {
	s := section{title: "**Mistakes** that keep this from being planned", noun: "mistake", asLint: true}
	for _, l := range r.Mistakes {
		s.entries = append(s.entries, entry{Finding: l})
	}
	return s
}

func (r *Review) notes() section { return notesSection(r.Notes) }

func notesSection(notes []string) section {
	s := section{title: "**Notes**", noun: "note"}
	for _, n := range notes {
		s.entries = append(s.entries, entry{Finding: lint.Finding{Message: n}})
	}
	return s
}

func (r *Review) effects() section {
	s := section{title: "**Please look at**", noun: "effect", loses: "values", spaced: true}
	for _, e := range r.Effects {
		made := entry{Finding: lint.Finding{
			Severity: e.Severity, Code: e.Code, Source: e.At.Source, Path: e.At.Path, Line: e.At.Line, Message: e.Message,
		}}
		for _, v := range e.Values {
			made.values = append(made.values, valueLine(v))
		}
		s.entries = append(s.entries, made)
	}
	return s
}

// findings returns the findings of lint about the change.
func (r *Review) findings() section {
	s := section{title: "**Lint** of what changed", noun: "finding", asLint: true, spaced: true}
	for _, f := range r.Findings {
		l := lint.Finding{Severity: f.Severity, Code: f.Code, Source: f.Source, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message, Fix: f.Fix}
		if !f.New {
			l.Message += " (was there before)"
		}
		s.entries = append(s.entries, entry{Finding: l})
	}
	return s
}

// dryRun returns the answers of the clusters, the worst first.
func (r *Review) dryRun() section {
	s := section{noun: "live answer", spaced: true}
	if r.Live == nil {
		return s
	}
	s.title, s.verdict = "**Live**: ", r.Live.Verdict
	add := func(severity propagate.Severity, message string) {
		s.entries = append(s.entries, entry{Finding: lint.Finding{Severity: severity, Message: message}})
	}
	for _, x := range r.Live.Refused {
		add(propagate.Error, x.String())
	}
	for _, x := range r.Live.Unreachable {
		add(propagate.Warning, x.Cluster+" could not be asked: "+x.Why)
	}
	for _, x := range r.Live.Changed {
		add(propagate.Note, fmt.Sprintf("%s on %s: a delivery changes %s", x.Object, phrase.List(x.Clusters, text.FewNames), phrase.List(x.Fields, text.FewNames)))
	}
	for _, x := range r.Live.Untried {
		add(propagate.Note, "cannot be tried yet, "+x.Why+": "+phrase.List(x.Objects, text.FewNames))
	}
	return s
}

// text writes the section for a terminal.
func (s section) text(b *strings.Builder, tree *load.Tree) {
	if s.verdict != "" {
		text.Wrap(b, fmt.Sprintf("%-8s ", "live"), s.verdict)
	}
	for _, e := range s.entries {
		place, code := e.Place(tree), text.WithPrefix(" [", text.WithSuffix(e.Code, "]"))
		switch {
		case s.asLint:
			text.Wrap(b, "", text.Join(": ", place, string(e.Severity), e.Message)+code)
		case e.Severity == "":
			text.Wrap(b, "note: ", e.Message)
		default:
			text.Wrap(b, fmt.Sprintf("%-8s ", e.Severity), e.Message+text.WithPrefix(" (", text.WithSuffix(place, ")"))+code)
		}
		if e.Fix != "" {
			text.Wrap(b, "    fix: ", e.Fix)
		}
		values, more := e.shownValues()
		for _, value := range values {
			text.Wrap(b, "           ", value)
		}
		if more != "" {
			text.Wrap(b, "           ", more)
		}
	}
	if s.spaced && (len(s.entries) > 0 || s.verdict != "") {
		fmt.Fprintln(b)
	}
}

// part returns the section as Markdown. The shorter form of an entry has no values.
func (s section) part() fit.Part {
	p := fit.Part{Head: "\n" + s.title + text.MarkdownText(s.verdict) + "\n", Noun: s.noun, Loses: s.loses, More: moreItems}
	for _, e := range s.entries {
		place, message, code := text.CodeSpan(e.Place(&load.Tree{})), text.MarkdownText(e.Message), text.CodeSpan(e.Code)
		var words []string
		switch {
		case s.asLint:
			words = []string{severitySign(e.Severity), place, message, code, text.WithPrefix("Fix: ", text.MarkdownText(e.Fix))}
		case e.Severity == "":
			words = []string{text.Capitalize(message)}
		default:
			words = []string{severitySign(e.Severity), message, place, code}
		}
		short := "- " + text.Join(" ", words...) + "\n"
		whole := short
		values, more := e.shownValues()
		for _, value := range values {
			whole += "  - " + text.CodeSpan(value) + "\n"
		}
		if more != "" {
			whole += "  - " + more + "\n"
		}
		p.Items = append(p.Items, []string{whole, short})
	}
	return p
}

// shownValues returns the first values, and the number of the others as text.
func (e entry) shownValues() (values []string, more string) {
	if len(e.values) <= text.FewNames+1 {
		return e.values, ""
	}
	return e.values[:text.FewNames], fmt.Sprintf("and %d more", len(e.values)-text.FewNames)
}
