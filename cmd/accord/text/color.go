package text

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ColorFlag is the flag --color: auto, always or never.
type ColorFlag struct{ when string }

// colorChoices are the values of --color.
var colorChoices = []string{"auto", "always", "never"}

// AddColor registers --color in the named commands below root, and colors the states in the text that they write.
func AddColor(root *cobra.Command, names ...string) {
	for _, c := range root.Commands() {
		if slices.Contains(names, c.Name()) {
			addColor(c)
		}
		AddColor(c, names...)
	}
}

func addColor(c *cobra.Command) {
	f, run := &ColorFlag{}, c.RunE
	f.Register(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		format := AsText
		if o := c.Flag("output"); o != nil {
			format = cmp.Or(Format(o.Value.String()), AsText)
		}
		c.SetOut(f.Writer(c.OutOrStdout(), format))
		return run(c, args)
	}
}

func (f *ColorFlag) Register(flags *pflag.FlagSet) {
	flags.Var(f, "color", "color of states: auto (on a terminal, and with $CLICOLOR_FORCE; not with $NO_COLOR or TERM=dumb), always or never")
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

// Writer returns out, with colors if the format is text and they are wanted there. Text is escaped before it gets colors.
func (f *ColorFlag) Writer(out io.Writer, as Format) io.Writer {
	if (as == AsText || as == AsWide) && f.Colors(out) {
		return SafeWriter(&colorWriter{out: raw(out), column: noTable})
	}
	return out
}

// Colors reports whether text on out has colors.
func (f *ColorFlag) Colors(out io.Writer) bool { return f.colors(IsTerminal(out), os.Getenv) }

// colors reports whether text has colors: --color decides, then NO_COLOR, then CLICOLOR_FORCE, then the terminal.
func (f *ColorFlag) colors(terminal bool, getenv func(string) string) bool {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case f.String() != "auto":
		return f.String() == "always"
	case getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return terminal && getenv("TERM") != "dumb"
}
