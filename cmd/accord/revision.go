package main

import (
	"fmt"
	"regexp"
	"strings"
)

// shortDigits of a commit are shown, and needed to name one.
const shortDigits = 7

var hexDigits = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// parseCommit reads what people and pipelines call a revision: a commit of at least 7 digits, or a whole
// revision such as "main@sha1:4f2c9e1...". It returns the digits in lower case.
func parseCommit(s string) (string, error) {
	digits := strings.ToLower(commitOf(s))
	if !hexDigits.MatchString(digits) {
		return "", fmt.Errorf("revision %q: expected a commit of 7 to 40 hexadecimal digits", s)
	}
	return digits, nil
}

// commitOf is the hexadecimal part of "main@sha1:<hex>".
func commitOf(revision string) string {
	return revision[strings.LastIndexByte(revision, ':')+1:]
}

// short is the beginning of the commit of a revision, as people write it; "-" when there is none.
func short(revision string) string {
	commit := commitOf(revision)
	if commit == "" {
		return "-"
	}
	return commit[:min(shortDigits, len(commit))]
}
