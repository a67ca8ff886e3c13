package hunk

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// contextLines is the number of lines shown before and after each change.
const contextLines = 2

// unifiedDiff returns the unified diff of two texts without file names. It marks a last line without a newline as diff
// does.
func unifiedDiff(before, after string) string {
	x, y := splitLines(before), splitLines(after)
	var b strings.Builder
	for _, group := range difflib.NewMatcher(x, y).GetGroupedOpCodes(contextLines) {
		head, tail := group[0], group[len(group)-1]
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", lineRange(head.I1, tail.I2), lineRange(head.J1, tail.J2))
		for _, o := range group {
			if o.Tag == 'e' {
				writeLines(&b, ' ', x[o.I1:o.I2])
				continue
			}
			writeLines(&b, '-', x[o.I1:o.I2])
			writeLines(&b, '+', y[o.J1:o.J2])
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeLines appends lines with a sign.
func writeLines(b *strings.Builder, sign byte, text []string) {
	for _, line := range text {
		b.WriteByte(sign)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// splitLines keeps the newlines, so that a last line without one differs from one with it. An empty text has no lines.
func splitLines(text string) []string {
	parts := strings.SplitAfter(text, "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// lineRange returns "first,count" of the unified format, counted from 1. An empty range begins at the line before it.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
