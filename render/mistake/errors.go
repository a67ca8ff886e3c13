// Package mistake bounds the number and the length of the errors about the files of a repository.
package mistake

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of reported errors, which appear in conditions, logs and comments. Reading stops at a limit.
const (
	MaxFileErrors = 100     // per file
	MaxErrors     = 1000    // per build
	maxMessage    = 1 << 10 // bytes per message, without its place
)

// List collects errors up to a limit.
type List struct {
	Limit int
	Errs  []error
	count int
}

// Add reports whether the list is still below its limit.
func (m *List) Add(err error) bool {
	if err != nil {
		m.Errs, m.count = append(m.Errs, err), m.count+countErrors(err)
	}
	return m.count < m.Limit
}

// Join returns all errors as one. It appends last, a hint at further errors, if the limit is reached.
func (m *List) Join(last error) error {
	if m.count < m.Limit {
		return errors.Join(m.Errs...)
	}
	return errors.Join(append(m.Errs, last)...)
}

// countErrors returns how many errors err joins.
func countErrors(err error) int {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return 1
	}
	n := 0
	for _, err := range joined.Unwrap() {
		n += countErrors(err)
	}
	return n
}

// Reason returns the error of a file without the system call and the path, which the place of the mistake has.
func Reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Clip removes the middle of a long message.
func Clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	head, tail := message[:maxMessage*3/4], message[len(message)-maxMessage/4:]
	return strings.ToValidUTF8(head, "") + " ... " + strings.ToValidUTF8(tail, "")
}

// Printable reports whether a file name can be printed safely: a line feed or an escape sequence could forge lines of a
// log or a report.
func Printable(name string) bool {
	for _, r := range name {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}
