package text

import (
	"strings"
)

// ShortRevisionLength of a commit are shown, and needed to name one.
const ShortRevisionLength = 7

// CommitOf is the hexadecimal part of "main@sha1:<hex>".
func CommitOf(revision string) string {
	return revision[strings.LastIndexByte(revision, ':')+1:]
}

// ShortRevision is the beginning of the commit of a revision, as people write it; "-" when there is none.
func ShortRevision(revision string) string {
	commit := CommitOf(revision)
	if commit == "" {
		return "-"
	}
	return commit[:min(ShortRevisionLength, len(commit))]
}
