package forge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
)

// maxDescription is the number of characters of a description that GitHub displays.
const maxDescription = 140

// Status is the status of a commit in one context.
type Status struct {
	Context     string // such as "accord/plan"; a commit has one status for each context
	State       State
	Description string // Report cuts it to 140 characters
	TargetURL   string // may be empty
}

// State is the state of a status.
type State string

// States of a status.
const (
	Pending    State = "pending"
	Success    State = "success"
	Failure    State = "failure"    // the author of the change must act
	Error      State = "error"      // not caused by the change; "failed" on GitLab, which does not distinguish the two
	Superseded State = "superseded" // replaced by a later commit; "canceled" on GitLab, "error" on the others
)

// Report implements Forge.
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
		return fmt.Errorf("unknown state %q", s.State)
	}
	s.Description = phrase.Cut(s.Description, maxDescription)
	if err := r.api.report(ctx, commit, s); err != nil {
		return fmt.Errorf("set the status %s of commit %.12s of %s: %w", s.Context, commit, r.at, err)
	}
	return nil
}

// orNil returns nil for an empty string, so that the field is omitted.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
