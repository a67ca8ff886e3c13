// Package fit shortens the parts of a document, or leaves some out, so that the document has at most a number of bytes.
package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
)

// Part is one part of a document with a limited size.
type Part struct {
	// Head and Foot enclose the items. A part without items has neither.
	Head, Foot string
	// Items have several forms, the longest first. Shorter forms are tried before items are left out, from the last to the
	// first.
	Items [][]string
	// Noun of an item: "change"; Loses names the content that shorter forms lack: "fields".
	Noun, Loses string
	// More returns the line for n items that were left out.
	More func(n int) string
}

// Lacks returns "fields of 3 changes".
func (p Part) Lacks(n int) string { return p.Loses + " of " + phrase.Count(n, p.Noun) }

// Budget is the number of bytes that are left for the parts.
type Budget struct {
	Room int
	// Shortened and Left name the shortened and the omitted parts, in the order of omission.
	Shortened, Left []string
}

// Fit returns as much of the part as fits. It shortens items first, from the last to the first, and then leaves items out.
func (f *Budget) Fit(p Part) string {
	room := f.Room - len(p.Head) - len(p.Foot)
	texts, short := p.shorten(room)
	size := lengths(texts)
	rest := func() string {
		if p.More == nil || len(texts) == len(p.Items) {
			return ""
		}
		return p.More(len(p.Items) - len(texts))
	}
	for len(texts) > 0 && size+len(rest()) > room {
		last := len(texts) - 1
		size, texts = size-len(texts[last]), texts[:last]
	}
	if left := len(p.Items) - len(texts); left > 0 {
		f.Left = append(f.Left, phrase.Count(left, p.Noun))
	}
	if len(texts) == 0 {
		return ""
	}
	if short = min(short, len(texts)); short > 0 {
		f.Shortened = append(f.Shortened, p.Lacks(short))
	}
	text := p.Head + strings.Join(texts, "") + rest() + p.Foot
	f.Room -= len(text)
	return text
}

// shorten chooses the longest forms that fit together, or the shortest forms. short counts the items that are not whole.
func (p Part) shorten(room int) (texts []string, short int) {
	texts = make([]string, len(p.Items))
	forms := 0
	for i, item := range p.Items {
		texts[i], forms = item[0], max(forms, len(item))
	}
	size := lengths(texts)
	for form := 1; form < forms && size > room; form++ {
		for i := len(texts) - 1; i >= 0 && size > room; i-- {
			if form < len(p.Items[i]) {
				size += len(p.Items[i][form]) - len(texts[i])
				texts[i] = p.Items[i][form]
			}
		}
	}
	for i := range texts {
		if texts[i] != p.Items[i][0] {
			short++
		}
	}
	return texts, short
}

func lengths(texts []string) int {
	sum := 0
	for _, text := range texts {
		sum += len(text)
	}
	return sum
}

// Omitted returns the sentence about omitted parts with the command that shows them, and "" if there are none.
func (f *Budget) Omitted(budget int, command string) string {
	all := slices.Concat(f.Shortened, f.Left)
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("\n**Left out** to stay within %d characters: %s. All of it: %s\n", budget, strings.Join(all, ", "), command)
}
