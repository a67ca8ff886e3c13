package gitrepo

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const (
	// fetchTimeout limits the fetch of a commit that the checkout does not have.
	fetchTimeout = 30 * time.Second
	// clockSkew is the most by which a commit may be older than its parent.
	clockSkew = 24 * time.Hour
)

// Contains reports whether the history of the commit newer contains the commit older, and whether the repository knows. A
// pipeline's checkout ends at older; Contains fetches newer from the remotes then, and changes no ref.
func (h *Repository) Contains(ctx context.Context, newer, older string) (contained, known bool) {
	base, err := h.Commit(older)
	if err != nil {
		return false, false
	}
	head, err := h.repo.CommitObject(plumbing.NewHash(newer))
	if err != nil {
		if !h.fetch(ctx, newer) {
			return false, false
		}
		if h, err = Open(h.Root); err != nil { // an open repository does not see new packs
			return false, false
		}
		if head, err = h.repo.CommitObject(plumbing.NewHash(newer)); err != nil {
			return false, false
		}
	}
	return h.walk(head, base)
}

// walk searches base in the history of head. The answer is not known if the clone lacks a commit on the way.
func (h *Repository) walk(head, base *object.Commit) (contained, known bool) {
	seen := map[plumbing.Hash]bool{head.Hash: true}
	known = true
	oldest := base.Committer.When.Add(-clockSkew)
	for queue := []*object.Commit{head}; len(queue) > 0; queue = queue[1:] {
		if queue[0].Hash == base.Hash {
			return true, true
		}
		if queue[0].Committer.When.Before(oldest) {
			continue
		}
		for _, parent := range queue[0].ParentHashes {
			if seen[parent] {
				continue
			}
			seen[parent] = true
			c, err := h.repo.CommitObject(parent)
			if err != nil {
				known = false // a shallow clone ends here
				continue
			}
			queue = append(queue, c)
		}
	}
	return false, known
}

// fetch gets a commit from the first remote that has it, and reports whether it succeeded. It runs git, which has the
// credentials of the checkout.
func (h *Repository) fetch(ctx context.Context, commit string) bool {
	ctx, end := context.WithTimeout(ctx, fetchTimeout)
	defer end()
	remotes, err := h.repo.Remotes()
	if err != nil {
		return false
	}
	for _, r := range remotes {
		_, err := h.git(ctx, nil, "-c", "core.askPass=true", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", r.Config().Name, commit)
		if err == nil {
			return true
		}
		if errors.Is(err, exec.ErrNotFound) {
			return false
		}
	}
	return false
}
