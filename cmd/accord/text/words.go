// Package text formats the output of commands: words, ages, lists, tables, Markdown, and the formats of -o.
package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
)

// Join joins the parts that are not empty.
func Join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// First returns the first item of list, and "" if there is none.
func First(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// WithPrefix returns prefix and s, and "" if s is empty.
func WithPrefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// WithSuffix returns s and suffix, and "" if s is empty.
func WithSuffix(s, suffix string) string {
	if s == "" {
		return ""
	}
	return s + suffix
}

// OutOf returns "30 of 31 clusters".
func OutOf(n, of int) string {
	if n == of {
		return phrase.Count(n, "cluster")
	}
	return fmt.Sprintf("%d of %s", n, phrase.Count(of, "cluster"))
}

// FewNames is the number of names that List prints in a table or a sentence.
const FewNames = 8

// PrintableLines returns the lines of text, escaped, each behind sign.
func PrintableLines(sign, text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = sign + Printable(line)
	}
	return lines
}

// Printable escapes control characters, characters that change the direction of text, and invisible ones.
func Printable(s string) string { return phrase.Printable(s) }

// Names returns the items of a list as text.
func Names[T fmt.Stringer](list []T) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = item.String()
	}
	return all
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@=,+~^-]+$`)

// CommandLine returns a command quoted for a shell.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if !plainWord.MatchString(a) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// maxBrief is the number of characters of a value on one line. JSON output has the whole value.
const maxBrief = 100

// Brief returns a value as JSON on one line.
func Brief(v any) string {
	if v == nil {
		return "nothing"
	}
	line, err := EncodeLine(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if runes := []rune(line); len(runes) > maxBrief {
		return string(runes[:maxBrief]) + "..."
	}
	return line
}

// MaxNames is the number of names that List prints on a line of their own.
const MaxNames = 12

// ShortField returns the path of an overrider without the parts that all overriders share.
func ShortField(field string) string {
	return strings.Replace(strings.TrimPrefix(field, "spec."), ".overriders.", ".", 1)
}
