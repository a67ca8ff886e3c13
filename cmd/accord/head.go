package main

import (
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// headCommit is the commit that is checked out where accord was called, or in a directory around that.
func headCommit() (string, error) {
	repo, err := git.PlainOpenWithOptions(".", &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return "", errors.New("--revision is required: this is no Git checkout whose HEAD could be meant")
	}
	if err != nil {
		return "", fmt.Errorf("--revision is not given, and the Git checkout cannot be read: %w", err)
	}
	head, err := repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return "", errors.New("--revision is required: this Git checkout has no commit yet")
	}
	if err != nil {
		return "", fmt.Errorf("--revision is not given, and HEAD of the Git checkout cannot be read: %w", err)
	}
	return head.Hash().String(), nil
}
