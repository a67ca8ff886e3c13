package recovery

import (
	"context"
	"errors"
	"time"
)

// repeatInterval is the time between two attempts.
const repeatInterval = 500 * time.Millisecond

// waitError is an error that may end by itself.
type waitError struct{ error }

func (e *waitError) Unwrap() error { return e.error }

// repeat calls act while it returns a waitError, until ctx ends, and returns its last error.
func repeat(ctx context.Context, act func() error) error {
	for {
		err := act()
		if _, waits := errors.AsType[*waitError](err); !waits {
			return err
		}
		select {
		case <-time.After(repeatInterval):
		case <-ctx.Done():
			return err
		}
	}
}
