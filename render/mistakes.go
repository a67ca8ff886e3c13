package render

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what is told of mistakes, which go into conditions, logs and comments. What follows is not read.
const (
	MaxFileMistakes = 100     // of one file
	MaxMistakes     = 1000    // of one build
	maxMessage      = 1 << 10 // bytes of one, the place left out
)

// mistakes collects errors until there are enough.
type mistakes struct {
	most int
	errs []error
	told int
}

// add says whether more are worth looking for.
func (m *mistakes) add(err error) bool {
	if err != nil {
		m.errs, m.told = append(m.errs, err), m.told+count(err)
	}
	return m.told < m.most
}

// join is one error of all; last says that there may be more, and is told only then.
func (m *mistakes) join(last error) error {
	if m.told < m.most {
		return errors.Join(m.errs...)
	}
	return errors.Join(append(m.errs, last)...)
}

// count is how many errors are joined in err.
func count(err error) int {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return 1
	}
	n := 0
	for _, err := range joined.Unwrap() {
		n += count(err)
	}
	return n
}

// clip leaves out the middle of a message that quotes something huge.
func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	head, tail := message[:maxMessage*3/4], message[len(message)-maxMessage/4:]
	return strings.ToValidUTF8(head, "") + " ... " + strings.ToValidUTF8(tail, "")
}

// printable says whether a file name can be told as it is: a line feed or an escape sequence in one would forge the
// lines of a log or of a report.
func printable(name string) bool {
	for _, r := range name {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}
