package text

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// The widths of help.
const (
	usualWidth = 100 // without a terminal
	leastWidth = 40
)

// HelpWidth returns the longest line of help on out: the width of the terminal, and 100 columns if out is none.
func HelpWidth(out io.Writer) int {
	file, ok := raw(out).(*os.File)
	if !ok {
		return usualWidth
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return usualWidth
	}
	return max(width, leastWidth)
}

// WrapHelp breaks the lines of the help of c and all commands below it.
func WrapHelp(c *cobra.Command, width int) {
	show := c.HelpFunc()
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		out, help := c.OutOrStdout(), &strings.Builder{}
		c.Long = reflow(c.Long, width)
		c.SetOut(help)
		show(c, args)
		c.SetOut(out)
		fmt.Fprint(out, wrapFlags(help.String(), width))
	})
}

// reflow breaks the paragraphs of a text so that their lines have at most width characters. It does not join lines that have a
// layout of their own: indented ones, items of lists, and those with columns.
func reflow(s string, width int) string {
	var lines, paragraph []string
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && !hasLayout(line) {
			paragraph = append(paragraph, strings.Fields(line)...)
			continue
		}
		lines = append(append(lines, fill(paragraph, width)...), hang(line, width))
		paragraph = nil
	}
	return strings.Join(append(lines, fill(paragraph, width)...), "\n")
}

// lastColumn matches all of a line that is before its last column.
var lastColumn = regexp.MustCompile(`^(.*\S {2,}| *- | +)`)

// hang breaks the last column of a line.
func hang(line string, width int) string {
	before := lastColumn.FindString(line)
	if utf8.RuneCountInString(line) <= width || width-len(before) < leastRoom {
		return line
	}
	words := fill(strings.Fields(line[len(before):]), width-len(before))
	return before + strings.Join(words, "\n"+strings.Repeat(" ", len(before)))
}

func hasLayout(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "- ") || strings.Contains(line, "  ")
}

// flagName matches the name of a flag in help, with the space before its description.
var flagName = regexp.MustCompile(`^ +(-\w, )?--[\w-]+( \S+)? {2,}`)

// The description of a flag has the lines below its name, indented, if it would have less than this room beside it.
const (
	leastRoom = 40
	below     = 12
)

// wrapFlags breaks the descriptions of flags in help, so that their lines have at most width characters.
func wrapFlags(help string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(help) {
		name := flagName.FindString(line)
		if name == "" || utf8.RuneCountInString(line) <= width+1 { // with its end
			b.WriteString(line)
			continue
		}
		indent := len(name)
		if width-indent < leastRoom {
			name, indent = strings.TrimRight(name, " ")+"\n"+strings.Repeat(" ", below), below
		}
		words := strings.Fields(line[len(flagName.FindString(line)):])
		b.WriteString(name + strings.Join(fill(words, width-indent), "\n"+strings.Repeat(" ", indent)) + "\n")
	}
	return b.String()
}
