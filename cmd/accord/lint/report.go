// Package lint prints the findings of a plan as text, JSON, SARIF and annotations of GitHub.
package lint

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// Report is the result of lint.
type Report struct {
	Verdict  string `json:"verdict"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Notes    int    `json:"notes"`
	Objects  int    `json:"objects"`
	Policies int    `json:"policies"`
	Clusters int    `json:"clusters"`
	// Federations are the Federations of the hub whose paths were read, "default/prod (apps)". Counts are sums over them.
	Federations []string `json:"federations,omitempty"`
	// Nowhere counts the objects that go to no cluster.
	Nowhere int `json:"nowhere"`
	// NotActedOn counts the objects of Karmada's kinds that accord does not act on.
	NotActedOn int `json:"notActedOn"`
	// Planned is false if mistakes prevented a plan; there may be more findings then.
	Planned  bool      `json:"planned"`
	Findings []Finding `json:"findings"`

	tree *load.Tree
}

// DocumentKind implements text.Document.
func (*Report) DocumentKind() string { return "LintReport" }

// Finding is one finding.
type Finding struct {
	Severity propagate.Severity `json:"severity"`
	// Code is stable; "accord lint -o sarif" explains each code.
	Code string `json:"code"`
	// Source is the name of the source in the Federation; empty if there is only one.
	Source string `json:"source,omitempty"`
	// Path is relative to the root of the source; empty if the finding is not about a file.
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// codeInvalid is the code of a manifest that cannot be read.
const codeInvalid = "invalid"

// SeverityRank orders the severities; it is 0 for other words.
var SeverityRank = map[propagate.Severity]int{propagate.Note: 1, propagate.Warning: 2, propagate.Error: 3}

// NewReport checks each tree of one directory, and its plan if there are no mistakes. Findings of several trees count once.
func NewReport(trees ...*load.Tree) *Report {
	r := &Report{tree: trees[0], Findings: []Finding{}, Planned: true}
	for _, t := range trees {
		r.Objects += len(t.Parts.Objects)
		r.Policies += len(t.Parts.Policies) + len(t.Parts.Overrides)
		r.Clusters = max(r.Clusters, len(t.Parts.Clusters), len(t.Input.Fleet))
		if t.Federation != "" {
			r.Federations = append(r.Federations, t.Federation)
		}
		r.AddMistakes(t.Mistakes)
		r.Planned = t.Mistakes == nil && r.plan(t) && r.Planned
	}
	if len(trees) > 1 {
		r.Findings = distinct(r.Findings)
	}
	slices.SortStableFunc(r.Findings, byPlace)
	for _, l := range r.Findings {
		switch l.Severity {
		case propagate.Error:
			r.Errors++
		case propagate.Warning:
			r.Warnings++
		default:
			r.Notes++
		}
	}
	r.Verdict = r.verdict()
	return r
}

// distinct returns the findings without repetitions: two Federations may have a path in common.
func distinct(findings []Finding) []Finding {
	seen := map[Finding]bool{}
	return slices.DeleteFunc(findings, func(l Finding) bool {
		was := seen[l]
		seen[l] = true
		return was
	})
}

func byPlace(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(SeverityRank[b.Severity], SeverityRank[a.Severity]),
	)
}

func (r *Report) addFindings(findings []propagate.Finding) {
	r.Findings = append(r.Findings, Findings(findings)...)
}

func Findings(findings []propagate.Finding) []Finding {
	lines := make([]Finding, len(findings))
	for i, f := range findings {
		lines[i] = Finding{
			Severity: f.Severity, Code: f.Code, Source: f.At.Source, Path: f.At.Path, Line: f.At.Line, Column: f.At.Column,
			Message: f.Message, Fix: f.Fix,
		}
	}
	return lines
}

// AddMistakes adds a finding for each mistake. A mistake that is not about a manifest has no place.
func (r *Report) AddMistakes(err error) {
	found, rest := check.Mistakes(err)
	r.addFindings(found)
	if rest != nil {
		r.addFindings([]propagate.Finding{{Severity: propagate.Error, Code: codeInvalid, Message: rest.Error()}})
	}
}

// HasAtLeast reports whether there is a finding of that severity or a higher one.
func (r *Report) HasAtLeast(s propagate.Severity) bool {
	return slices.ContainsFunc(r.Findings, func(l Finding) bool { return SeverityRank[l.Severity] >= SeverityRank[s] })
}

// verdict returns "0 errors, 0 warnings, 2 notes: 120 objects, 14 policies, 6 clusters; every object goes somewhere".
func (r *Report) verdict() string {
	counts := fmt.Sprintf("%s, %s, %s", phrase.Count(r.Errors, "error"), phrase.Count(r.Warnings, "warning"), phrase.Count(r.Notes, "note"))
	if !r.Planned {
		return counts + "; nothing was planned, there may be more"
	}
	where := "every object goes somewhere"
	switch {
	case r.Objects == 0:
		where = "there is nothing to place"
	case r.Clusters == 0:
		where = "no cluster is known, so where objects go is not judged"
	case r.Nowhere > 0:
		where = phrase.Count(r.Nowhere, "object") + phrase.Plural(r.Nowhere, " goes", " go") + " nowhere"
	}
	if n := r.NotActedOn; n > 0 {
		where += ", and " + phrase.Count(n, "object") + phrase.Plural(n, " is", " are") + " not acted on"
	}
	return fmt.Sprintf("%s: %s, %s, %s; %s", counts, phrase.Count(r.Objects, "object"), phrase.Count(r.Policies, "policy"), phrase.Count(r.Clusters, "cluster"), where)
}

func (r *Report) Write(out io.Writer, f text.Format) error {
	switch f {
	case text.AsJSON:
		return text.Encode(out, f, r)
	case text.AsSARIF:
		return text.EncodeForeign(out, text.AsJSON, r.sarif())
	case text.AsGitHub:
		return r.writeGitHub(out)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	if len(r.Federations) > 0 {
		fmt.Fprintf(&b, "  with the paths of %s on the hub: %s\n", phrase.Count(len(r.Federations), "Federation"), strings.Join(r.Federations, ", "))
	}
	for _, l := range r.Findings {
		fmt.Fprintf(&b, "%s [%s]\n", text.Join(": ", l.Place(r.tree), string(l.Severity), r.localized(l.Message)), l.Code)
		if l.Fix != "" {
			fmt.Fprintln(&b, "    fix: "+l.Fix)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// placeInText matches the place of a manifest in a message.
var placeInText = regexp.MustCompile(`(^|[ (])([^ ()/:][^ ():]*\.(?:yaml|yml|json):[0-9]+)`)

// localized returns a message with its places relative to the current directory, as Place does. A place with a source
// stays.
func (r *Report) localized(message string) string {
	return placeInText.ReplaceAllStringFunc(message, func(match string) string {
		parts := placeInText.FindStringSubmatch(match)
		if strings.Contains(parts[2], "//") {
			return match
		}
		return parts[1] + r.tree.DisplayPath(parts[2])
	})
}

// Place returns file, line and column relative to the current directory, so that an editor can open it.
func (l Finding) Place(t *load.Tree) string {
	if l.Path == "" {
		return ""
	}
	at := manifest.Origin{Source: l.Source, Path: t.DisplayPath(l.Path), Line: l.Line}.String()
	if l.Line > 0 && l.Column > 0 {
		at += fmt.Sprintf(":%d", l.Column)
	}
	return at
}
