// Package exit ends the process with a documented exit code.
package exit

import "fmt"

// Error ends the process with an exit code that the command documents.
type Error struct {
	Code int
	Err  error // nil if the command has printed the reason already
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
