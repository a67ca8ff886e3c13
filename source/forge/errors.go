package forge

import (
	"errors"
	"fmt"
	"time"
)

// What a forge may answer beside what was asked for. Every error of this package that has such a cause wraps it.
var (
	// ErrDenied says that the token is not valid or does not reach far enough. The message names what it needs.
	ErrDenied = errors.New("denied")
	// ErrNotFound says that there is no such repository, pull request or commit, or that the token may not see it.
	ErrNotFound = errors.New("not found")
	// ErrSignature says that a webhook is not signed with the key.
	ErrSignature = errors.New("the signature does not verify")
)

// RateLimitError says that the forge wants to be left alone for a while.
type RateLimitError struct {
	Until time.Time // when it will listen again
}

func (e *RateLimitError) Error() string {
	return fmt.Sprintf("rate limit reached, until %s", e.Until.UTC().Format(time.RFC3339))
}
