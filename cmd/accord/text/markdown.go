package text

import (
	"html"
	"strings"
	"unicode"
)

// Everything below escapes text of manifests for Markdown: forges render it literally.

// CodeSpan returns s as inline code.
func CodeSpan(s string) string {
	s = strings.TrimSpace(Printable(strings.Join(strings.Fields(s), " ")))
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// TableCell returns s as inline code in a cell of a table. Forges disagree on how to escape "|", so it becomes "¦".
func TableCell(s string) string { return CodeSpan(strings.ReplaceAll(s, "|", "\u00a6")) }

// MarkdownText returns s as plain text: without markup, HTML, mentions or issue references.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range Printable(strings.Join(strings.Fields(s), " ")) {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune("\\`*_[]|~", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		case strings.ContainsRune("@#!$%:", r):
			b.WriteRune(r)
			b.WriteRune(zeroWidth) // so that the character begins no mention, reference, emoji or link
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), ":"+string(zeroWidth)+" ", ": "), string(zeroWidth))
}

// zeroWidth is seen by nobody and ends a word.
const zeroWidth = '\u200b'

// HTMLCode is s as code within HTML, where Markdown is not read.
func HTMLCode(s string) string {
	return "<code>" + html.EscapeString(Printable(strings.Join(strings.Fields(s), " "))) + "</code>"
}

// CodeBlock is lines as they are, in a language.
func CodeBlock(language string, lines []string) string {
	longest := 2
	for _, line := range lines {
		longest = max(longest, longestRun(line, '`'))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// longestRun returns the length of the longest run of a character.
func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r == of {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// Capitalize is a sentence with its first letter in upper case.
func Capitalize(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}
