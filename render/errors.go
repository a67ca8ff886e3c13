package render

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

// errorList collects errors up to a limit.
type errorList struct {
	limit int
	errs  []error
	count int
}

// add reports whether the list is still below its limit.
func (m *errorList) add(err error) bool {
	if err != nil {
		m.errs, m.count = append(m.errs, err), m.count+countErrors(err)
	}
	return m.count < m.limit
}

// join returns all errors as one. It appends last, a hint at further errors, if the limit is reached.
func (m *errorList) join(last error) error {
	if m.count < m.limit {
		return errors.Join(m.errs...)
	}
	return errors.Join(append(m.errs, last)...)
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

// reason returns the error of a file without the system call and the path, which the place of the mistake has.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// clip removes the middle of a long message.
func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	head, tail := message[:maxMessage*3/4], message[len(message)-maxMessage/4:]
	return strings.ToValidUTF8(head, "") + " ... " + strings.ToValidUTF8(tail, "")
}

// printable reports whether a file name can be printed safely: a line feed or an escape sequence could forge lines of a
// log or a report.
func printable(name string) bool {
	for _, r := range name {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}
