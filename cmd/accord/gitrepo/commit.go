package gitrepo

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

// Change is new text for one file, and the message of its commit.
type Change struct {
	// File is the path below the root of the work tree, with slashes.
	File string
	Text []byte
	// Subject is the first line of the message. Body may be empty.
	Subject, Body string
}

// Proposal is a change that can be committed on top of HEAD. Nothing is written before Commit.
type Proposal struct {
	Change
	history *Repository
	before  []byte
	Message string
	Diff    string
}

// Propose returns an error unless the file in the work tree is the file of HEAD, and git has an author.
func (h *Repository) Propose(ctx context.Context, c Change) (*Proposal, error) {
	if h.Empty() {
		return nil, errors.New("the repository has no commit yet: commit the manifests first")
	}
	if _, err := h.git(ctx, nil, "cat-file", "-e", "HEAD:"+c.File); err != nil {
		return nil, fmt.Errorf("%s is not committed yet: commit it first", c.File)
	}
	changes, err := h.git(ctx, nil, "status", "--porcelain", "--", c.File)
	switch {
	case err != nil:
		return nil, fmt.Errorf("comparing the work tree with HEAD: %w", err)
	case changes != "":
		return nil, fmt.Errorf("%s has changes that are not committed: commit or undo them first", c.File)
	}
	if _, err := h.git(ctx, nil, "var", "GIT_AUTHOR_IDENT"); err != nil {
		return nil, errors.New(`git user.name and user.email are not set: git config --global user.name "..." and user.email "..."`)
	}
	before, err := os.ReadFile(h.pathOf(c.File))
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	p := &Proposal{Change: c, history: h, before: before, Message: strings.Join(strings.Fields(c.Subject), " ") + "\n"}
	if c.Body != "" {
		p.Message += "\n" + c.Body + "\n"
	}
	patch, changed := bytes.CutPrefix(diff.Diff("a/"+c.File, before, "b/"+c.File, c.Text), []byte("diff "))
	if !changed {
		return nil, fmt.Errorf("%s has this already", c.File)
	}
	p.Diff = "diff --git " + string(patch)
	return p, nil
}

// Branch returns the branch of the commit, and "" if HEAD is detached.
func (p *Proposal) Branch() string {
	head, err := p.history.repo.Head()
	if err != nil || !head.Name().IsBranch() {
		return ""
	}
	return head.Name().Short()
}

// Commit writes the file and commits only this file, with the hooks and the signature that git is configured for. It returns the
// hash. If git refuses the commit, the file is restored.
func (p *Proposal) Commit(ctx context.Context) (string, error) {
	name := p.history.pathOf(p.File)
	if err := os.WriteFile(name, p.Text, 0o644); err != nil { // it is there, so that it keeps its mode
		return "", fmt.Errorf("writing the manifest: %w", err)
	}
	_, err := p.history.git(ctx, strings.NewReader(p.Message), "commit", "--quiet", "--only", "--cleanup=verbatim", "--file=-", "--", p.File)
	if err != nil {
		return "", errors.Join(fmt.Errorf("committing %s: %w", p.File, err), os.WriteFile(name, p.before, 0o644))
	}
	head, err := p.history.git(ctx, nil, "rev-parse", "HEAD")
	return strings.TrimSpace(head), err
}

// Push runs git push, with the user's remote, credentials and hooks.
func (h *Repository) Push(ctx context.Context) error {
	if _, err := h.git(ctx, nil, "push"); err != nil {
		return fmt.Errorf("the commit was made, but git push failed: %w", err)
	}
	return nil
}

func (h *Repository) pathOf(file string) string {
	return filepath.Join(h.Root, filepath.FromSlash(file))
}

// git runs git in the work tree and returns its output. The error has the output, too. Git does not guess an author from the
// host name.
func (h *Repository) git(ctx context.Context, in *strings.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", h.Root, "-c", "user.useConfigOnly=true"}, args...)...)
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
