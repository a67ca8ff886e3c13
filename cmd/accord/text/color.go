package text

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// ColorFlag is the flag --color: auto, always or never.
type ColorFlag struct{ when string }

// colorChoices are the values of --color.
var colorChoices = []string{"auto", "always", "never"}

func (f *ColorFlag) Register(flags *pflag.FlagSet) {
	flags.Var(f, "color", "color of verdicts: auto (on a terminal, unless $NO_COLOR is set), always or never")
}

// String, Set and Type implement pflag.Value.
func (f *ColorFlag) String() string { return cmp.Or(f.when, colorChoices[0]) }

func (f *ColorFlag) Set(s string) error {
	if !slices.Contains(colorChoices, s) {
		return fmt.Errorf("expected one of %s", strings.Join(colorChoices, ", "))
	}
	f.when = s
	return nil
}

func (f *ColorFlag) Type() string { return "when" }

// Choices returns the values of the flag.
func (f *ColorFlag) Choices() []string { return colorChoices }

// Writer returns out, with colors if the format is text and they are wanted there.
func (f *ColorFlag) Writer(out io.Writer, as Format) io.Writer {
	if as != AsText {
		return out
	}
	if f.String() == "always" || f.String() == "auto" && IsTerminal(out) && os.Getenv("NO_COLOR") == "" {
		return &colorWriter{out}
	}
	return out
}

// colorWriter colors verdicts and states in complete lines that are written to it.
type colorWriter struct{ out io.Writer }

// The symbol of a verdict distinguishes it without color, too.
var verdictColors = []struct {
	words  []string
	code   string
	symbol string
}{
	{[]string{"READY", "DONE"}, "32", "✔"},
	{[]string{"FAILED", "FAILING", "HALTED", "ROLLED BACK", "TIME RAN OUT"}, "31", "✗"},
	{[]string{"UNREACHABLE"}, "35", "?"},
	{[]string{"HELD", "SUSPENDED", "PAUSED", "WAITING FOR APPROVAL", "SUPERSEDED"}, "33", "‖"},
	{[]string{"ROLLING OUT", "NOT SEEN YET"}, "36", "…"},
}

func (w *colorWriter) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		b.WriteString(colored(line))
	}
	if _, err := io.WriteString(w.out, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// colored colors the first verdict of a line. A verdict stands behind two spaces.
func colored(line string) string {
	for _, v := range verdictColors {
		for _, word := range v.words {
			before, after, found := strings.Cut(line, "  "+word+"  ")
			if found {
				return before + "  \x1b[" + v.code + "m" + v.symbol + " " + word + "\x1b[0m  " + after
			}
		}
	}
	return line
}
