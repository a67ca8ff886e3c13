package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
)

// markdownPart is one part of a document with a limited size.
type markdownPart struct {
	head, foot string
	// items have several forms, the longest first. Shorter forms are tried before items are left out, from the last to the
	// first.
	items [][]string
	// noun of an item: "change"; loses names the content that shorter forms lack: "fields".
	noun, loses string
	// more returns the line for n items that were left out.
	more func(n int) string
}

// lacks returns "fields of 3 changes".
func (p markdownPart) lacks(n int) string { return p.loses + " of " + phrase.Count(n, p.noun) }

// markdownBudget is the number of bytes that are left for the parts.
type markdownBudget struct {
	room int
	// shortened and left name the shortened and the omitted parts, in the order of omission.
	shortened, left []string
}

// fit returns as much of the part as fits. It shortens items first, from the last to the first, and then leaves items out.
func (f *markdownBudget) fit(p markdownPart) string {
	room := f.room - len(p.head) - len(p.foot)
	texts, short := p.shorten(room)
	size := lengths(texts)
	rest := func() string {
		if p.more == nil || len(texts) == len(p.items) {
			return ""
		}
		return p.more(len(p.items) - len(texts))
	}
	for len(texts) > 0 && size+len(rest()) > room {
		last := len(texts) - 1
		size, texts = size-len(texts[last]), texts[:last]
	}
	if left := len(p.items) - len(texts); left > 0 {
		f.left = append(f.left, phrase.Count(left, p.noun))
	}
	if len(texts) == 0 {
		return ""
	}
	if short = min(short, len(texts)); short > 0 {
		f.shortened = append(f.shortened, p.lacks(short))
	}
	text := p.head + strings.Join(texts, "") + rest() + p.foot
	f.room -= len(text)
	return text
}

// shorten chooses the longest forms that fit together, or the shortest forms. short counts the items that are not whole.
func (p markdownPart) shorten(room int) (texts []string, short int) {
	texts = make([]string, len(p.items))
	forms := 0
	for i, item := range p.items {
		texts[i], forms = item[0], max(forms, len(item))
	}
	size := lengths(texts)
	for form := 1; form < forms && size > room; form++ {
		for i := len(texts) - 1; i >= 0 && size > room; i-- {
			if form < len(p.items[i]) {
				size += len(p.items[i][form]) - len(texts[i])
				texts[i] = p.items[i][form]
			}
		}
	}
	for i := range texts {
		if texts[i] != p.items[i][0] {
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

// omitted returns the sentence about omitted parts with the command that shows them, and "" if there are none.
func (f *markdownBudget) omitted(budget int, command string) string {
	all := slices.Concat(f.shortened, f.left)
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("\n**Left out** to stay within %d characters: %s. All of it: %s\n", budget, strings.Join(all, ", "), command)
}

// The limits of --max-bytes. GitHub does not accept longer comments.
const (
	MinBudget = 500
	MaxBudget = 65_536
)
