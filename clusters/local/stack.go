package local

import (
	"errors"
	"slices"
)

// A stack has the functions that stop the started parts, newest first.
type stack struct{ undo []func() error }

func (s *stack) push(f func() error) { s.undo = append(s.undo, f) }

// unwind undoes everything once, goes on after errors and returns all of them.
func (s *stack) unwind() error {
	var errs []error
	for _, f := range slices.Backward(s.undo) {
		errs = append(errs, f())
	}
	s.undo = nil
	return errors.Join(errs...)
}
