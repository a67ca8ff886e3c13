package main

import (
	"fmt"
	"slices"
	"strings"
)

// A part is one part of a document that has to stay within a number of characters.
type part struct {
	head, foot string
	// items are left out from the last one on. Before that, shorter forms of an item are tried: each has all of them, the
	// longest first.
	items [][]string
	// noun of an item: "change"; loses is what shorter forms lack: "fields".
	noun, loses string
	// more stands for n items that were left out.
	more func(n int) string
}

// lacks says what the reader does not see of n items.
func (p part) lacks(n int) string { return p.loses + " of " + count(n, p.noun) }

// A fitting is a document under its budget.
type fitting struct {
	room int
	// shortened and left are what the reader does not see, by noun in the order in which it happened.
	shortened, left []string
}

// fit writes as much of the part as there is room for; nothing when not even its head has any.
func (f *fitting) fit(p part) string {
	if len(p.items) == 0 {
		return ""
	}
	frame := len(p.head) + len(p.foot)
	spare := 0 // for the line about what is left out
	if p.more != nil {
		spare = len(p.more(len(p.items)))
	}
	var b strings.Builder
	short, i := 0, 0
	for ; i < len(p.items); i++ {
		room := f.room - frame - b.Len()
		if i < len(p.items)-1 {
			room -= spare
		}
		form := slices.IndexFunc(p.items[i], func(text string) bool { return len(text) <= room })
		if form < 0 {
			break
		}
		b.WriteString(p.items[i][form])
		if form > 0 {
			short++
		}
	}
	return f.close(p, b.String(), i, short)
}

// close frames the n items that fitted.
func (f *fitting) close(p part, body string, n, short int) string {
	rest := len(p.items) - n
	if rest > 0 {
		f.left = append(f.left, count(rest, p.noun))
		if n == 0 {
			return ""
		}
		if p.more != nil {
			body += p.more(rest)
		}
	}
	if short > 0 {
		f.shortened = append(f.shortened, p.lacks(short))
	}
	text := p.head + body + p.foot
	f.room -= len(text)
	return text
}

// omitted says what the reader does not see, and how to see it; empty when that is nothing.
func (f *fitting) omitted(budget int, command string) string {
	all := slices.Concat(f.shortened, f.left)
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("\n**Left out** to stay within %d characters: %s. All of it: %s\n", budget, strings.Join(all, ", "), command)
}
