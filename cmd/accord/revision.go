package main

import (
	"strings"
)

// shortDigits of a commit are shown, and needed to name one.
const shortDigits = 7

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
