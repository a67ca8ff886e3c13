package gitrepo

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// HeadCommit returns the commit of HEAD in the repository around the current directory.
func HeadCommit() (string, error) {
	repo, err := git.PlainOpenWithOptions(".", &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return "", errors.New("--revision is required outside of a Git repository")
	}
	if err != nil {
		return "", fmt.Errorf("reading the Git repository (--revision is not set): %w", err)
	}
	head, err := repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return "", errors.New("--revision is required: this Git repository has no commit yet")
	}
	if err != nil {
		return "", fmt.Errorf("reading HEAD (--revision is not set): %w", err)
	}
	return head.Hash().String(), nil
}

var hexDigits = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// ParseCommit reads a commit of at least 7 digits, or a revision such as "main@sha1:4f2c9e1...". It returns the digits in lower
// case.
func ParseCommit(s string) (string, error) {
	digits := strings.ToLower(text.CommitOf(s))
	if !hexDigits.MatchString(digits) {
		return "", fmt.Errorf("revision %q: expected a commit of 7 to 40 hexadecimal digits", s)
	}
	return digits, nil
}
