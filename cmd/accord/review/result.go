package review

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// Result is the result of a review.
type Result string

const (
	Unchanged Result = "unchanged"
	Changed   Result = "changed"
	Blocked   Result = "blocked"
	Invalid   Result = "invalid"
)

// FailOn is the flag --fail-on of plan: the results for which it exits with a code other than 0.
type FailOn string

const (
	failOnChanges FailOn = "changes"
	failOnError   FailOn = "error"
)

func (f *FailOn) Register(flags *pflag.FlagSet) {
	*f = failOnChanges
	flags.Var(f, "fail-on", "changes: exit with 1 on any change; error: exit with 0 unless the change must not be merged")
}

// String, Set and Type implement pflag.Value.
func (f *FailOn) String() string { return string(*f) }

func (f *FailOn) Set(s string) error {
	if !slices.Contains(f.Choices(), s) {
		return fmt.Errorf("expected %s or %s", failOnChanges, failOnError)
	}
	*f = FailOn(s)
	return nil
}

func (f *FailOn) Type() string { return "string" }

// Choices returns the values of the flag.
func (f *FailOn) Choices() []string { return []string{string(failOnChanges), string(failOnError)} }

// ExitCode returns the exit code of a result, as kubectl diff does.
func (f *FailOn) ExitCode(r Result) int {
	switch {
	case r == Unchanged, r == Changed && *f == failOnError:
		return 0
	case r == Changed:
		return 1
	}
	return 2
}

// An Outcome can be printed and posted: the review of one Federation, or those of all.
type Outcome interface {
	text.Document
	// Conclusion is the result; of several, the worst.
	Conclusion() Result
	// Print writes the outcome in a format; Markdown has at most budget bytes.
	Print(out io.Writer, f text.Format, budget int) error
	// Marker is the line that identifies the sticky comment, and Markdown the comment of at most budget bytes.
	Marker() string
	Markdown(budget int) string
	// Description is the text of a commit status.
	Description() string

	text() string
}

// write writes an outcome in a format.
func write(out io.Writer, f text.Format, budget int, o Outcome) error {
	var document string
	switch f {
	case text.AsJSON:
		return text.Encode(out, f, o)
	case text.AsMarkdown:
		out, document = text.MarkdownWriter(out), o.Markdown(budget)
	default:
		document = o.text()
	}
	_, err := io.WriteString(out, document)
	return err
}

// The limits of --max-bytes. GitHub does not accept longer comments.
const (
	MinBudget = 500
	MaxBudget = 65_536
)
