package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/accord-dev/accord/internal/phrase"
)

// Width is the longest line of text output.
const Width = 118

// Wrap writes words in lines of at most Width characters. Lines after the first are indented to the end of head.
func Wrap(b *strings.Builder, head, words string) {
	head = Printable(head)
	indent := strings.Repeat(" ", utf8.RuneCountInString(head))
	lines := fill(splitWords(Printable(words), Width-len(indent)), Width-len(indent))
	fmt.Fprintln(b, head+strings.Join(lines, "\n"+indent))
}

// fill returns the words in lines of at most width characters. A longer word has a line of its own.
func fill(words []string, width int) []string {
	var lines []string
	room := 0
	for _, word := range words {
		length := utf8.RuneCountInString(word)
		if len(lines) > 0 && length < room {
			lines[len(lines)-1] += " " + word
			room -= 1 + length
			continue
		}
		lines = append(lines, word)
		room = width - length
	}
	return lines
}

// splitWords returns the words of a text, and splits words that are longer than most.
func splitWords(text string, most int) []string {
	var all []string
	for _, word := range strings.Fields(text) {
		for piece := range slices.Chunk([]rune(word), most) {
			all = append(all, string(piece))
		}
	}
	return all
}

// Cell returns s on one line, at most so many characters long.
func Cell(s string, most int) string {
	return phrase.Cut(strings.Join(strings.Fields(Printable(s)), " "), most)
}
