package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

// An interpretReport is what came of trying; its JSON form is stable.
type interpretReport struct {
	Verdict string `json:"verdict"`
	Errors  int    `json:"errors"`
	// Mistakes are in what was written, whatever it is tried on.
	Mistakes []lintLine `json:"mistakes"`
	// Samples are empty with --check.
	Samples []triedSample `json:"samples"`
}

// A triedSample is what was made of one object.
type triedSample struct {
	Object  string           `json:"object"`
	Results []triedOperation `json:"results"`
}

// A triedOperation has a result, an error, or what is missing to run it.
type triedOperation struct {
	// Customization is empty for the health that accord concludes.
	Customization string `json:"customization,omitempty"`
	Operation     string `json:"operation"`
	Result        any    `json:"result,omitempty"`
	Message       string `json:"message,omitempty"`
	Error         string `json:"error,omitempty"`
	Missing       string `json:"missing,omitempty"`

	text string
}

// newInterpretReport begins with the mistakes.
func newInterpretReport(mistakes []propagate.Finding) *interpretReport {
	r := &interpretReport{Errors: len(mistakes), Mistakes: lintLines(mistakes), Samples: []triedSample{}}
	return r
}

// checked is the report without any sample.
func (k *knowledge) checked() *interpretReport {
	r := newInterpretReport(k.mistakes)
	var parts []string
	if n := len(k.customizations); n > 0 || len(k.health) == 0 {
		parts = append(parts, count(n, "customization")+" with "+count(k.scripts(), "script"))
	}
	if n := len(k.health); n > 0 {
		parts = append(parts, count(n, "healthCheckExprs entry"))
	}
	r.Verdict = count(r.Errors, "error") + ": " + strings.Join(parts, ", ")
	return r
}

func (r *interpretReport) write(out io.Writer, f format) error {
	if f == asJSON {
		return encode(out, f, r)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	for _, m := range r.Mistakes {
		fmt.Fprintln(&b, join(": ", m.place(&tree{}), string(m.Severity), m.Message))
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
