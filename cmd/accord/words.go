package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// join puts sep between the parts that are not empty.
func join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// firstOf is the first of list; empty when there is none.
func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// prefixed is s behind prefix; empty when s is.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// suffixed is s with suffix behind it; empty when s is.
func suffixed(s, suffix string) string {
	if s == "" {
		return ""
	}
	return s + suffix
}

// count is "1 policy", "2 policies".
func count(n int, noun string) string {
	if n != 1 {
		if stem, ok := strings.CutSuffix(noun, "y"); ok {
			noun = stem + "ie"
		}
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// outOf is "30 of 31 clusters".
func outOf(n, of int) string {
	if n == of {
		return count(n, "cluster")
	}
	return fmt.Sprintf("%d of %s", n, count(of, "cluster"))
}

// fewNames is how many names are shown of a list; the rest is a number.
const fewNames = 8

func printableLines(sign, text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = sign + printable(line)
	}
	return lines
}

// printable shows what a terminal or a browser would obey: control characters, and those that turn text around.
func printable(s string) string {
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

// names returns the items of a list as text.
func names[T fmt.Stringer](list []T) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = item.String()
	}
	return all
}

// fewOf is "a, b and 3 more" of a list.
func fewOf(list []string, most int) string {
	if len(list) <= most+1 { // "and 1 more" says less than its name
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// cutTo is s in at most n characters.
func cutTo(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:max(n-3, 0)]) + "..."
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@=,+~^-]+$`)

// commandLine is a command as one types it into a shell.
func commandLine(args []string) string {
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

// brief is a value on one line.
func brief(v any) string {
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

// maxNames is how many names a line has before the rest is a number.
const maxNames = 12
