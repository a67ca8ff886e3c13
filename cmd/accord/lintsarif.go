package main

import (
	"net/url"
	"slices"
	"strings"

	"github.com/accord-dev/accord/propagate/check"
)

// sarifLog is the part of SARIF 2.1.0 that code scanning reads.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifText    `json:"shortDescription"`
	Full    sarifText    `json:"fullDescription"`
	Help    sarifHelp    `json:"help"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

// sarifHelp is shown beside a finding; viewers that can take the second form.
type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

// sarif has every rule there is, found or not, so that a viewer can explain them.
func (r *lintReport) sarif() sarifLog {
	rules := lintRules()
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{Name: "accord lint", Version: version()}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	for _, rule := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSarifRule(rule))
	}
	for _, l := range r.Findings {
		run.Results = append(run.Results, sarifResult{
			RuleID: l.Code, RuleIndex: slices.IndexFunc(rules, func(rule check.Check) bool { return rule.Code == l.Code }),
			Level: string(l.Severity), Message: sarifText{l.text()},
			Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{l.uri(r.tree)}, Region: l.region()}}},
		})
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func newSarifRule(c check.Check) sarifRule {
	text := c.Why + "\n\n" + c.Fix
	return sarifRule{
		ID: c.Code, Short: sarifText{c.Summary}, Full: sarifText{c.Why}, Default: sarifDefault{string(c.Severity)},
		Help: sarifHelp{Text: text, Markdown: text + "\n\n```yaml\n" + strings.TrimSpace(c.Example) + "\n```\n"},
	}
}

// uri of the file, relative to where accord was called: the root of the repository, in a pipeline. What is about no
// file is about the directory.
func (l lintLine) uri(t *tree) string {
	p := "."
	if l.Path != "" {
		p = t.relative(l.Path)
	}
	return (&url.URL{Path: p}).String()
}

func (l lintLine) region() *sarifRegion {
	if l.Line == 0 {
		return nil
	}
	return &sarifRegion{StartLine: l.Line, StartColumn: l.Column}
}
