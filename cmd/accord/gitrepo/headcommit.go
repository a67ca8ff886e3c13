package gitrepo

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// FindCommit returns the commit that a revision names, HEAD if it is empty, and the repository around the current directory. The
// repository is nil if there is none; the revision must be a commit then, of at least 7 digits.
func FindCommit(revision string) (*Repository, string, error) {
	h, err := Open(".")
	if err != nil {
		if revision == "" {
			return nil, "", errors.New("--revision is required outside of a Git repository")
		}
		commit, err := ParseCommit(revision)
		return nil, commit, err
	}
	if revision == "" {
		head, err := h.repo.Head()
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return nil, "", errors.New("--revision is required: this Git repository has no commit yet")
		}
		if err != nil {
			return nil, "", fmt.Errorf("reading HEAD (--revision is not set): %w", err)
		}
		return h, head.Hash().String(), nil
	}
	if commit, err := ParseCommit(revision); err == nil {
		return h, commit, nil
	}
	c, err := h.Commit(revision)
	if err != nil {
		return nil, "", err
	}
	return h, c.Hash.String(), nil
}

var hexDigits = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// ParseCommit reads a commit of at least 7 digits, or a revision such as "main@sha1:4f2c9e1...". It returns the digits in lower
// case.
func ParseCommit(s string) (string, error) {
	digits := strings.ToLower(text.CommitOf(s))
	if !hexDigits.MatchString(digits) {
		return "", fmt.Errorf("revision %q: expected a commit of 7 to 40 hexadecimal digits (a branch or HEAD~1 in a Git repository)", s)
	}
	return digits, nil
}
