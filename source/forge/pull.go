package forge

import (
	"context"
	"errors"
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
)

// maxTitle is the number of characters of a title that all providers accept.
const maxTitle = 255

// PullRequest is a pull (merge) request that is to be opened, between two branches of the repository.
type PullRequest struct {
	Title      string // OpenPull cuts it to 255 characters
	Body       string // Markdown
	Head, Base string // branches without refs/heads/; Head is merged into Base
}

// OpenPull implements Forge.
func (r *repository) OpenPull(ctx context.Context, p PullRequest) (string, error) {
	switch {
	case p.Title == "":
		return "", errors.New("a pull request needs a title")
	case p.Head == "" || p.Base == "" || p.Head == p.Base:
		return "", errors.New("a pull request needs two branches")
	}
	p.Title, p.Body = phrase.Cut(p.Title, maxTitle), phrase.Cut(p.Body, r.provider.MaxComment())
	if r.provider == GitLab {
		p.Body = noQuickActions(p.Body)
	}
	url, err := r.api.open(ctx, p)
	if err != nil {
		return "", fmt.Errorf("open a pull request from %s to %s of %s: %w", p.Head, p.Base, r.at, err)
	}
	return url, nil
}
