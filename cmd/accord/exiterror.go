package main

import "fmt"

// An exitError ends the process with a code that says more than "did not work".
type exitError struct {
	code int
	err  error // nil when everything has been said already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }
