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
	line, empty := head, true
	for _, word := range splitWords(Printable(words), Width-len(indent)) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width {
			fmt.Fprintln(b, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(b, line)
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
