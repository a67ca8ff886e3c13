package hunk

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// around is how many lines are shown before and after each change.
const around = 2

// lines is the unified diff of two texts, without file names. As diff does, it says where a last line has no newline.
func lines(before, after string) string {
	x, y := split(before), split(after)
	var b strings.Builder
	for _, group := range difflib.NewMatcher(x, y).GetGroupedOpCodes(around) {
		head, tail := group[0], group[len(group)-1]
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(head.I1, tail.I2), span(head.J1, tail.J2))
		for _, o := range group {
			if o.Tag == 'e' {
				write(&b, ' ', x[o.I1:o.I2])
				continue
			}
			write(&b, '-', x[o.I1:o.I2])
			write(&b, '+', y[o.J1:o.J2])
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// write appends lines with what happens to them.
func write(b *strings.Builder, sign byte, text []string) {
	for _, line := range text {
		b.WriteByte(sign)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// split keeps the newlines, so that a last line without one differs from one with it. An empty text has no lines.
func split(text string) []string {
	parts := strings.SplitAfter(text, "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// span is "first,count" with lines counted from 1, as the unified format has it: with no lines, the one before.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
