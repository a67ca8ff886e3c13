// Package text writes what commands print: words, ages, lists, tables, Markdown, and the formats of -o.
package text

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Join puts sep between the parts that are not empty.
func Join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// First is the first of list; empty when there is none.
func First(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// WithPrefix is s behind prefix; empty when s is.
func WithPrefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// WithSuffix is s with suffix behind it; empty when s is.
func WithSuffix(s, suffix string) string {
	if s == "" {
		return ""
	}
	return s + suffix
}

// Count is "1 policy", "2 policies".
func Count(n int, noun string) string {
	if n != 1 {
		if stem, ok := strings.CutSuffix(noun, "y"); ok {
			noun = stem + "ie"
		}
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// OutOf is "30 of 31 clusters".
func OutOf(n, of int) string {
	if n == of {
		return Count(n, "cluster")
	}
	return fmt.Sprintf("%d of %s", n, Count(of, "cluster"))
}

// FewNames is how many names are shown of a list; the rest is a number.
const FewNames = 8

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

// Printable shows what a terminal or a browser would obey: control characters, and those that turn text around.
func Printable(s string) string {
	clean := func(r rune) bool { return r == '\t' || unicode.IsPrint(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "?") {
		if clean(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// Names returns the items of a list as text.
func Names[T fmt.Stringer](list []T) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = item.String()
	}
	return all
}

// List is "a, b and 3 more" of a list.
func List(list []string, most int) string {
	if len(list) <= most+1 { // "and 1 more" says less than its name
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Cut is s in at most n characters.
func Cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:max(n-3, 0)]) + "..."
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@=,+~^-]+$`)

// CommandLine is a command as one types it into a shell.
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

// maxBrief is how much of a value is shown on a line; JSON output has all of it.
const maxBrief = 100

// Brief is a value on one line.
func Brief(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if runes := []rune(string(text)); len(runes) > maxBrief {
		return string(runes[:maxBrief]) + "..."
	}
	return string(text)
}

// MaxNames is how many names a line has before the rest is a number.
const MaxNames = 12

// ShortField is the path of an overrider without what is the same in all of them.
func ShortField(field string) string {
	return strings.Replace(strings.TrimPrefix(field, "spec."), ".overriders.", ".", 1)
}
