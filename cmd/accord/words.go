package main

import (
	"slices"
	"strconv"
	"strings"
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
