package text

import (
	"strings"
)

// ShortRevisionLength is the number of digits of a commit that commands print, and the least that they accept.
const ShortRevisionLength = 7

// CommitOf returns the hexadecimal part of "main@sha1:<hex>".
func CommitOf(revision string) string {
	return revision[strings.LastIndexByte(revision, ':')+1:]
}

// ShortRevision returns the first digits of the commit of a revision, and "-" if there is none.
func ShortRevision(revision string) string {
	commit := CommitOf(revision)
	if commit == "" {
		return "-"
	}
	return commit[:min(ShortRevisionLength, len(commit))]
}

// ShortDigest returns a digest for people: the algorithm and the first 12 digits, as in "sha256:2c26b46b68ff".
func ShortDigest(digest string) string {
	return digest[:min(strings.Index(digest, ":")+1+12, len(digest))]
}
