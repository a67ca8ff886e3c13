// Package phrase forms parts of sentences: counts, lists of names and shortened texts. It imports nothing of accord, and
// every package may import it.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns "1 object", "3 objects", "2 policies", "4 Ingresses".
func Count(n int, noun string) string {
	return strconv.Itoa(n) + " " + Plural(n, noun, plural(noun))
}

// plural returns the plural of an English noun.
func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay") && !strings.HasSuffix(noun, "ey"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}

// Plural returns one for n = 1, otherwise many: "is" or "are".
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// And returns "a, b and c", or "a, b and 3 more" with the first most names. A last name takes the place of "1 more".
func And(names []string, most int) string {
	if last := len(names) - 1; 0 < last && last <= most {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return List(names, most)
}

// List returns "a, b, c", or "a, b and 3 more" with the first most names. A last name takes the place of "1 more".
func List(names []string, most int) string {
	if len(names) == most+1 {
		return strings.Join(names, ", ")
	}
	return First(names, most)
}

// First returns "a, b", or "a, b and 1 more" with the first most names.
func First(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Cut shortens s to at most n characters, of which the last three are dots.
func Cut(s string, n int) string {
	characters := []rune(s)
	if len(characters) <= n {
		return s
	}
	return string(characters[:max(n-3, 0)]) + "..."
}

// revisionDigits is the number of digits of a commit in a text for people.
const revisionDigits = 7

// Revision returns the first digits of the commit of a revision: "91045c1" for "main@sha1:91045c1c2963...".
func Revision(revision string) string {
	commit := revision[strings.LastIndexByte(revision, ':')+1:]
	return commit[:min(revisionDigits, len(commit))]
}
