package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckBranch returns an error unless a commit on top of HEAD can be made on the branch: it is new, or HEAD has all of its
// commits, on this machine and on the remote as of the last fetch.
func (h *Repository) CheckBranch(ctx context.Context, branch string) error {
	if name, err := h.git(ctx, nil, "check-ref-format", "--branch", branch); err != nil || strings.TrimSpace(name) != branch {
		return fmt.Errorf("--branch %q: expected the name of a branch", branch)
	}
	if head, err := h.repo.Head(); err == nil && head.Name().IsBranch() && head.Name().Short() == branch {
		return fmt.Errorf("--branch %s: the branch is checked out: omit --branch, or choose another", branch)
	}
	refs := []string{"refs/heads/" + branch}
	if remote, err := h.remote(ctx); err == nil {
		refs = append(refs, "refs/remotes/"+remote+"/"+branch)
	}
	for _, ref := range refs {
		if h.commitOf(ctx, ref) == "" {
			continue
		}
		if _, err := h.git(ctx, nil, "merge-base", "--is-ancestor", ref, "HEAD"); err != nil {
			return fmt.Errorf("--branch %s: %s has commits that HEAD does not have: choose another branch, or delete this one", branch, ref)
		}
	}
	return nil
}

// commitOf returns the commit of a ref, and "" if there is no such ref.
func (h *Repository) commitOf(ctx context.Context, ref string) string {
	commit, err := h.git(ctx, nil, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(commit)
}

// CommitOn commits as Commit does, on a branch that begins at HEAD or is fast-forwarded to it. It works in a temporary work tree,
// so that HEAD, index and files of the user stay. If git refuses the commit, the branch is as before.
func (p *Proposal) CommitOn(ctx context.Context, branch string) (commit string, err error) {
	h, ref := p.history, "refs/heads/"+branch
	before := h.commitOf(ctx, ref)
	dir, err := os.MkdirTemp("", "accord-branch-")
	if err != nil {
		return "", fmt.Errorf("making a work tree for the branch: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // git removes its part
	tree := filepath.Join(dir, "tree")
	if _, err := h.git(ctx, nil, "worktree", "add", "--quiet", "-B", branch, tree, "HEAD"); err != nil {
		return "", fmt.Errorf("making the branch %s: %w", branch, err)
	}
	there := *p
	there.history = &Repository{Root: tree}
	commit, err = there.Commit(ctx)
	ctx = context.WithoutCancel(ctx)
	_, removing := h.git(ctx, nil, "worktree", "remove", "--force", tree)
	if err == nil {
		return commit, removing
	}
	restore := []string{"update-ref", ref, before}
	if before == "" {
		restore = []string{"update-ref", "-d", ref}
	}
	_, restoring := h.git(ctx, nil, restore...)
	return "", errors.Join(err, removing, restoring)
}

// Upstream is the branch of a remote that the current branch follows.
type Upstream struct {
	Remote, URL string
	// Branch is the name on the remote, without refs/heads/.
	Branch string
}

// Upstream returns the branch that the current one follows. A branch that follows none has its name on the remote.
func (h *Repository) Upstream(ctx context.Context) (Upstream, error) {
	head, err := h.repo.Head()
	if err != nil || !head.Name().IsBranch() {
		return Upstream{}, errors.New("HEAD is detached: check out the branch that the pull request is for")
	}
	remote, err := h.remote(ctx)
	if err != nil {
		return Upstream{}, err
	}
	url, err := h.git(ctx, nil, "remote", "get-url", "--push", remote)
	if err != nil {
		return Upstream{}, fmt.Errorf("finding the URL of the remote %s: %w", remote, err)
	}
	name := head.Name().Short()
	follows := strings.TrimPrefix(h.config(ctx, "branch."+name+".merge"), "refs/heads/")
	return Upstream{Remote: remote, URL: strings.TrimSpace(url), Branch: cmp.Or(follows, name)}, nil
}

// remote returns the name of the remote of the current branch, else the only one, else "origin".
func (h *Repository) remote(ctx context.Context) (string, error) {
	all, err := h.repo.Remotes()
	if err != nil {
		return "", fmt.Errorf("reading the remotes: %w", err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Config().Name)
	}
	wanted := "origin"
	if len(names) == 1 {
		wanted = names[0]
	}
	if head, err := h.repo.Head(); err == nil && head.Name().IsBranch() {
		if name := h.config(ctx, "branch."+head.Name().Short()+".remote"); slices.Contains(names, name) {
			wanted = name
		}
	}
	if !slices.Contains(names, wanted) {
		return "", errors.New("there is no remote to push to: git remote add origin URL")
	}
	return wanted, nil
}

// config returns a setting of git, and "" if it is not set.
func (h *Repository) config(ctx context.Context, key string) string {
	value, err := h.git(ctx, nil, "config", "--get", key)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(value)
}

// PushBranch pushes a branch to the remote of the current branch, and makes the branch follow the pushed one.
func (h *Repository) PushBranch(ctx context.Context, branch string) error {
	remote, err := h.remote(ctx)
	if err == nil {
		_, err = h.git(ctx, nil, "push", "--quiet", "--set-upstream", remote, "refs/heads/"+branch+":refs/heads/"+branch)
	}
	if err != nil {
		return fmt.Errorf("the commit was made on branch %s, but git push failed: %w", branch, err)
	}
	return nil
}
