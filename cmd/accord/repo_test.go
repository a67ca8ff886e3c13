package main

import (
	"errors"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/rogpeppe/go-internal/testscript"
)

// commit commits everything in a directory, which becomes a repository with the first commit, and sets $SHA.
func commit(ts *testscript.TestScript, _ bool, args []string) {
	hash, err := commitAll(ts.MkAbs(args[0]), strings.Join(args[1:], "\n\n")) // as "git commit -m subject -m paragraph"
	ts.Check(err)
	ts.Setenv("SHA", hash)
}

// commitAll commits everything in a directory, which becomes a repository with the first commit, and returns the commit.
func commitAll(dir, message string) (string, error) {
	repo, err := git.PlainOpen(dir)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		repo, err = git.PlainInit(dir, false)
	}
	if err != nil {
		return "", err
	}
	tree, err := repo.Worktree()
	if err != nil {
		return "", err
	}
	if err := tree.AddWithOptions(&git.AddOptions{All: true}); err != nil {
		return "", err
	}
	hash, err := tree.Commit(message, &git.CommitOptions{Author: &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Now()}})
	return hash.String(), err
}

// untilLimit is long because a control plane has to start on a busy machine.
const untilLimit = 3 * time.Minute

// until repeats a command until it exits with 0.
func until(ts *testscript.TestScript, _ bool, args []string) {
	var err error
	for begin := time.Now(); time.Since(begin) < untilLimit; time.Sleep(200 * time.Millisecond) {
		if err = ts.Exec(args[0], args[1:]...); err == nil {
			return
		}
	}
	ts.Fatalf("%v never succeeded: %v", args, err)
}
