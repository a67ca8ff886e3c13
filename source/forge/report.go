package forge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDescription is how many characters GitHub shows of a status.
const maxDescription = 140

// Status is what is said about a commit.
type Status struct {
	Context     string // such as "accord/plan"; a commit has one status in a context
	State       State
	Description string // cut to 140 characters by Report
	TargetURL   string // may be empty
}

// State of a commit in one context.
type State string

// The states.
const (
	Pending    State = "pending"
	Success    State = "success"
	Failure    State = "failure"    // whoever made the change must act
	Error      State = "error"      // not the change's fault; "failed" at GitLab, which does not tell the two apart
	Superseded State = "superseded" // a later commit took its place; "canceled" at GitLab, "error" at the others
)

// Report is what Forge says.
func (r *repository) Report(ctx context.Context, commit string, s Status) error {
	if decoded, err := hex.DecodeString(commit); err != nil || len(decoded) != 20 {
		return errors.New("a commit has 40 hex digits")
	}
	if s.Context == "" {
		return errors.New("a status needs a context")
	}
	switch s.State {
	case Pending, Success, Failure, Error, Superseded:
	default:
		return fmt.Errorf("state %q is not known", s.State)
	}
	s.Description = cut(s.Description, maxDescription)
	if err := r.api.report(ctx, commit, s); err != nil {
		return fmt.Errorf("set the status %s of commit %.12s of %s: %w", s.Context, commit, r.at, err)
	}
	return nil
}

// cut shortens s to so many characters and shows that it did.
func cut(s string, characters int) string {
	const dots = "..."
	if utf8.RuneCountInString(s) <= characters {
		return s
	}
	return string([]rune(s)[:characters-len(dots)]) + dots
}

// orNil is for fields that are left out when they are empty.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
