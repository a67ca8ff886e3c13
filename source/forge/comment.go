package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxComment returns the maximum length of a comment in characters. Gitea has no limit; it gets the limit of the
// others.
func (p Provider) MaxComment() int {
	if p == GitLab {
		return 1_000_000
	}
	return 65_536
}

// comment is a comment on a pull request.
type comment struct {
	id     int64
	author int64
	text   string
	url    string
}

// Comment implements Forge.
func (r *repository) Comment(ctx context.Context, pull int, marker, body string) (string, error) {
	url, err := r.comment(ctx, pull, marker, body)
	if err != nil {
		return "", fmt.Errorf("comment on pull request %d of %s: %w", pull, r.at, err)
	}
	return url, nil
}

func (r *repository) comment(ctx context.Context, pull int, marker, body string) (string, error) {
	text, err := r.text(pull, marker, body)
	if err != nil {
		return "", err
	}
	mine, err := r.marked(ctx, pull, marker)
	if err != nil {
		return "", err
	}
	if len(mine) == 0 {
		made, err := r.api.create(ctx, pull, text)
		return made.url, err
	}
	kept := mine[0]
	if !sameText(kept.text, text) {
		if kept, err = r.api.edit(ctx, pull, kept.id, text); err != nil {
			return "", err
		}
	}
	for _, double := range mine[1:] {
		if err := r.api.remove(ctx, pull, double.id); err != nil {
			return "", fmt.Errorf("delete a second comment: %w", err)
		}
	}
	return kept.url, nil
}

// text returns the body with the marker, or an error if an argument is invalid.
func (r *repository) text(pull int, marker, body string) (string, error) {
	if pull <= 0 {
		return "", errors.New("pull requests are numbered from 1")
	}
	if marker == "" || marker != strings.TrimSpace(marker) || strings.ContainsAny(marker, "\r\n") {
		return "", errors.New("a marker is one line without space around it")
	}
	if !hasMarker(body, marker) {
		body = marker + "\n" + body
	}
	if r.provider == GitLab {
		body = noQuickActions(body)
	}
	if n, limit := utf8.RuneCountInString(body), r.provider.MaxComment(); n > limit {
		return "", fmt.Errorf("the comment has %d characters, the limit is %d", n, limit)
	}
	return body, nil
}

// marked returns this account's comments with the marker from all pages, oldest first.
func (r *repository) marked(ctx context.Context, pull int, marker string) ([]comment, error) {
	me, err := r.account(ctx)
	if err != nil {
		return nil, err
	}
	var found []comment
	for page := 1; ; {
		comments, next, err := r.api.comments(ctx, pull, page)
		if err != nil {
			return nil, fmt.Errorf("read the comments: %w", err)
		}
		for _, c := range comments {
			if c.author == me && hasMarker(c.text, marker) {
				found = append(found, c)
			}
		}
		if next <= page { // or the server would loop
			return found, nil
		}
		page = next
	}
}

// hasMarker reports whether a line of text equals the marker; a comment that quotes it has none.
func hasMarker(text, marker string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.TrimSpace(line) == marker
	})
}

// sameText compares texts as forges store them: line ends may change, and surrounding space is cut.
func sameText(a, b string) bool {
	stored := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return stored(a) == stored(b)
}
