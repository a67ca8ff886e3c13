package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// A change is one file with another text, and the message of its commit.
type change struct {
	// file below the root of the work tree, with slashes.
	file string
	text []byte
	// subject is the first line of the message; body may be empty.
	subject, body string
}

// A proposal is a change that can be committed on top of HEAD. Nothing is written before commit.
type proposal struct {
	change
	history *history
	before  []byte
	message string
	diff    string
}

// propose checks a change: the file has to be in HEAD as it is in the work tree, and git has to know an author.
func (h *history) propose(ctx context.Context, c change) (*proposal, error) {
	if h.empty() {
		return nil, errors.New("the repository has no commit yet: commit the manifests first")
	}
	if _, err := h.git(ctx, nil, "cat-file", "-e", "HEAD:"+c.file); err != nil {
		return nil, fmt.Errorf("%s is not committed yet: commit it first", c.file)
	}
	changes, err := h.git(ctx, nil, "status", "--porcelain", "--", c.file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("comparing the work tree with HEAD: %w", err)
	case changes != "":
		return nil, fmt.Errorf("%s has changes that are not committed: commit or undo them first", c.file)
	}
	if _, err := h.git(ctx, nil, "var", "GIT_AUTHOR_IDENT"); err != nil {
		return nil, errors.New(`git user.name and user.email are not set: git config --global user.name "..." and user.email "..."`)
	}
	before, err := os.ReadFile(h.pathOf(c.file))
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	p := &proposal{change: c, history: h, before: before, message: strings.Join(strings.Fields(c.subject), " ") + "\n"}
	if c.body != "" {
		p.message += "\n" + c.body + "\n"
	}
	patch, changed := bytes.CutPrefix(diff.Diff("a/"+c.file, before, "b/"+c.file, c.text), []byte("diff "))
	if !changed {
		return nil, fmt.Errorf("%s has this already", c.file)
	}
	p.diff = "diff --git " + string(patch)
	return p, nil
}

// branch that the commit is for; empty when HEAD is detached.
func (p *proposal) branch() string {
	head, err := p.history.repo.Head()
	if err != nil || !head.Name().IsBranch() {
		return ""
	}
	return head.Name().Short()
}

// commit writes the file and commits it alone, whatever else is staged, with the hooks and the signature that git is configured
// for. It returns the hash. A commit that git refuses leaves the file as it was.
func (p *proposal) commit(ctx context.Context) (string, error) {
	name := p.history.pathOf(p.file)
	if err := os.WriteFile(name, p.text, 0o644); err != nil { // it is there, so that it keeps its mode
		return "", fmt.Errorf("writing the manifest: %w", err)
	}
	_, err := p.history.git(ctx, strings.NewReader(p.message), "commit", "--quiet", "--only", "--cleanup=verbatim", "--file=-", "--", p.file)
	if err != nil {
		return "", errors.Join(fmt.Errorf("committing %s: %w", p.file, err), os.WriteFile(name, p.before, 0o644))
	}
	head, err := p.history.git(ctx, nil, "rev-parse", "HEAD")
	return strings.TrimSpace(head), err
}

// push is git's, with the remote, the credentials and the hooks of the user.
func (h *history) push(ctx context.Context) error {
	if _, err := h.git(ctx, nil, "push"); err != nil {
		return fmt.Errorf("the commit is made; pushing it failed: %w", err)
	}
	return nil
}

func (h *history) pathOf(file string) string { return filepath.Join(h.root, filepath.FromSlash(file)) }

// git runs the program in the work tree and returns its output, which the error has, too. An author has to be configured: git does
// not guess one from the name of the host.
func (h *history) git(ctx context.Context, in *strings.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", h.root, "-c", "user.useConfigOnly=true"}, args...)...)
	if in != nil {
		cmd.Stdin = in
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, strings.TrimSpace(stdout.String()+stderr.String()))
	}
	return stdout.String(), nil
}
