package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/review/post"
	"github.com/accord-dev/accord/source/forge"
)

// destination is the flags about the place of the commit.
type destination struct {
	branch string
	push   bool
	pull   bool
	at     post.Repository
}

func (d *destination) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&d.push, "push", false, "push the commit with git")
	flags.StringVar(&d.branch, "branch", "", "commit on this new branch, in place of the current one")
	flags.BoolVar(&d.pull, "pull-request", false, "push the branch and open a pull (merge) request; without --branch accord names the branch")
	d.at.Register(flags, "that of the remote of the current branch")
}

// target is the place of one commit.
type target struct {
	// branch is empty if HEAD is detached and no branch was requested. created is set for a branch beside the current one.
	branch  string
	created bool
	// upstream is known for a branch beside the current one, forge for a pull request.
	upstream gitrepo.Upstream
	forge    forge.Forge
}

// next returns the words about the publication of the commit: "pushed: git push".
func (t target) next() string {
	if !t.created {
		return "pushed: git push"
	}
	return fmt.Sprintf("merged: git push --set-upstream %s %s", cmp.Or(t.upstream.Remote, "origin"), t.branch)
}

// of returns the place of a proposal. It returns an error for a place that cannot be used; nothing is written then.
func (d *destination) of(ctx context.Context, h *gitrepo.Repository, p *gitrepo.Proposal) (to target, err error) {
	to.branch = d.branch
	to.upstream, err = h.Upstream(ctx)
	if d.pull {
		if err != nil {
			return to, err
		}
		if to.forge, err = d.at.Connect(os.Getenv, to.upstream.URL); err != nil {
			return to, err
		}
		if to.branch == "" {
			to.branch = branchName(p)
		}
	}
	if to.branch == "" {
		to.branch = p.Branch()
		return to, nil
	}
	to.created = true
	return to, h.CheckBranch(ctx, to.branch)
}

var notInBranch = regexp.MustCompile(`[^a-z0-9]+`)

// maxBranch is the number of characters of a branch name of accord before its digits.
const maxBranch = 60

// branchName returns "accord/hold-cluster-ap-2-1f0c9e2". The digits distinguish changes with the same subject.
func branchName(p *gitrepo.Proposal) string {
	subject, _, _ := strings.Cut(p.Subject, ":")
	words := strings.Trim(notInBranch.ReplaceAllString(strings.ToLower(subject), "-"), "-")
	digest := sha256.Sum256([]byte(p.Message + p.Diff))
	return "accord/" + strings.Trim(words[:min(len(words), maxBranch)], "-") + "-" + hex.EncodeToString(digest[:])[:7]
}

// commit makes the commit and returns its hash.
func (t target) commit(ctx context.Context, p *gitrepo.Proposal) (string, error) {
	if t.created {
		return p.CommitOn(ctx, t.branch)
	}
	return p.Commit(ctx)
}

func (t target) push(ctx context.Context, h *gitrepo.Repository) error {
	if t.created {
		return h.PushBranch(ctx, t.branch)
	}
	return h.Push(ctx)
}
