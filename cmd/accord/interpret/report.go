// Package interpret tries the customizations of users on sample objects.
package interpret

import (
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

// Report is the result of interpret.
type Report struct {
	Verdict string `json:"verdict"`
	Errors  int    `json:"errors"`
	// Mistakes are errors in the rules, whatever the samples are.
	Mistakes []lint.Finding `json:"mistakes"`
	// Samples are empty with --check.
	Samples []SampleReport `json:"samples"`
}

// DocumentKind implements text.Document.
func (*Report) DocumentKind() string { return "InterpretationReport" }

// SampleReport is the results of one object.
type SampleReport struct {
	Object  string            `json:"object"`
	Results []OperationReport `json:"results"`
}

// OperationReport has a result, an error, or the name of the input that the operation lacks.
type OperationReport struct {
	// Customization is empty for the health that accord computes.
	Customization string `json:"customization,omitempty"`
	Operation     string `json:"operation"`
	Result        any    `json:"result,omitempty"`
	Message       string `json:"message,omitempty"`
	Error         string `json:"error,omitempty"`
	Missing       string `json:"missing,omitempty"`

	text string
}

func newReport(mistakes []propagate.Finding) *Report {
	r := &Report{Errors: len(mistakes), Mistakes: lint.Findings(mistakes), Samples: []SampleReport{}}
	return r
}

// Check returns the report without any sample.
func (k *Rules) Check() *Report {
	r := newReport(k.mistakes)
	var parts []string
	if n := len(k.customizations); n > 0 || len(k.health) == 0 {
		parts = append(parts, phrase.Count(n, "customization")+" with "+phrase.Count(k.scripts(), "script"))
	}
	if n := len(k.health); n > 0 {
		parts = append(parts, phrase.Count(n, "healthCheckExprs entry"))
	}
	r.Verdict = phrase.Count(r.Errors, "error") + ": " + strings.Join(parts, ", ")
	return r
}

func (r *Report) Write(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, r)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	for _, m := range r.Mistakes {
		fmt.Fprintln(&b, text.Join(": ", m.Place(&load.Tree{}), string(m.Severity), m.Message))
		if m.Fix != "" {
			fmt.Fprintln(&b, "    fix: "+m.Fix)
		}
	}
	for _, s := range r.Samples {
		fmt.Fprintln(&b, "\n"+s.Object)
		for _, o := range s.Results {
			fmt.Fprintln(&b, "  "+strings.ReplaceAll(o.text, "\n", "\n  "))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
