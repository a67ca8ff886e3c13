// Package trailer reads the trailers of commit messages by the rules of "git interpret-trailers": the lines "Key: value" of the last
// paragraph. Text above it, such as a quoted message, has no trailers.
package trailer

import (
	"regexp"
	"strings"
)

// line matches a trailer: a key of letters, digits and dashes, a colon, a value.
var line = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:(.*)$`)

// generated begin the lines that git itself adds. With one of them a quarter of the lines must be trailers, otherwise all.
var generated = []string{"Signed-off-by: ", "(cherry picked from commit "}

// Values returns the values of a trailer, in the order of the message. Keys are compared without case.
func Values(message, key string) []string {
	var values []string
	for _, t := range last(message) {
		if strings.EqualFold(t.key, key) {
			values = append(values, t.value)
		}
	}
	return values
}

type entry struct{ key, value string }

// last returns the trailers of the last paragraph; none if it is the subject, or no block of trailers.
func last(message string) []entry {
	paragraphs := paragraphsOf(message)
	if len(paragraphs) < 2 {
		return nil
	}
	var found []entry
	others, byGit := 0, false
	for _, text := range paragraphs[len(paragraphs)-1] {
		for _, prefix := range generated {
			byGit = byGit || strings.HasPrefix(text, prefix)
		}
		match := line.FindStringSubmatch(text)
		switch {
		case (text[0] == ' ' || text[0] == '\t') && len(found) > 0: // continues the value above
			found[len(found)-1].value += " " + strings.TrimSpace(text)
		case match != nil:
			found = append(found, entry{match[1], strings.TrimSpace(match[2])})
		case strings.HasPrefix(text, generated[1]):
			found = append(found, entry{})
		default:
			others++
		}
	}
	if others == 0 || byGit && len(found)*3 >= others {
		return found
	}
	return nil
}

// paragraphsOf returns the lines of each paragraph, without comments.
func paragraphsOf(message string) [][]string {
	var all [][]string
	within := false
	for text := range strings.Lines(message) {
		text = strings.TrimRight(text, " \t\r\n")
		switch {
		case text == "":
			within = false
		case strings.HasPrefix(text, "#"):
		case within:
			all[len(all)-1] = append(all[len(all)-1], text)
		default:
			all, within = append(all, []string{text}), true
		}
	}
	return all
}
