package source

import (
	"fmt"
	"strings"
)

// ParseRevision splits a revision into the requested ref and the commit. It accepts Flux's forms, new and old:
// "main@sha1:<40 hex>", "sha1:<40 hex>", "main/<40 hex>" and a bare "<40 hex>"; the ref may be empty. The commit is
// returned in lower case.
func ParseRevision(s string) (pointer, commit string, err error) {
	at, slash := strings.LastIndex(s, "@sha1:"), strings.LastIndexByte(s, '/')
	bare := false
	switch {
	case at >= 0:
		pointer, commit = s[:at], s[at+len("@sha1:"):]
	case strings.HasPrefix(s, "sha1:"):
		commit, bare = s[len("sha1:"):], true
	case slash >= 0:
		pointer, commit = s[:slash], s[slash+1:]
	default:
		commit, bare = s, true
	}
	if !isHash(commit) || pointer == "" && !bare {
		return "", "", fmt.Errorf("revision %q is not of the form branch@sha1:<40 hex digits>", s)
	}
	return pointer, strings.ToLower(commit), nil
}

// clusterPointer begins the revisions of live clusters.
const clusterPointer = "cluster@sha256:"

// ClusterRevision returns the revision of a snapshot of a live cluster with the given digits of its SHA-256.
func ClusterRevision(digits string) string { return clusterPointer + digits }

// IsCluster reports whether a revision is a snapshot of a live cluster.
func IsCluster(revision string) bool { return strings.HasPrefix(revision, clusterPointer) }

// SameCommit reports whether two revisions name the same commit, regardless of their refs. A malformed revision
// equals none.
func SameCommit(a, b string) bool {
	_, x, errA := ParseRevision(a)
	_, y, errB := ParseRevision(b)
	return errA == nil && errB == nil && x == y
}

func revision(pointer, commit string) string {
	if pointer == "" {
		return "sha1:" + commit
	}
	return pointer + "@sha1:" + commit
}

func isHash(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
