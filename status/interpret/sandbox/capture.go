package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxCaptures limits the captures of a pattern.
const maxCaptures = 32

// The length of a capture that is still open, or that captures a position.
const (
	capturing = -1
	position  = -2
)

type capture struct{ from, length int }

// open matches "(" and the rest of the pattern at p; "()" captures a position.
func (m *matcher) open(i, p int) int {
	length := capturing
	if m.at(p) == ')' {
		length, p = position, p+1
	}
	if len(m.captures) == maxCaptures {
		m.fail("too many captures")
	}
	m.captures = append(m.captures, capture{i, length})
	n := len(m.captures)
	to := m.match(i, p)
	if to < 0 {
		m.captures = m.captures[:n-1]
	}
	return to
}

// close matches ")", which closes the capture that was opened last.
func (m *matcher) close(i, p int) int {
	for n := len(m.captures) - 1; n >= 0; n-- {
		if m.captures[n].length != capturing {
			continue
		}
		m.captures[n].length = i - m.captures[n].from
		to := m.match(i, p)
		if to < 0 {
			m.captures[n].length = capturing
		}
		return to
	}
	m.fail("invalid pattern capture")
	return -1
}

// again matches %1, the text of a capture.
func (m *matcher) again(i, n int) int {
	if n < 0 || n >= len(m.captures) || m.captures[n].length == capturing {
		m.fail("invalid capture index")
	}
	c := m.captures[n]
	text := m.s[c.from : c.from+max(c.length, 0)]
	payBytes(m.l, len(text))
	if !strings.HasPrefix(m.s[i:], text) {
		return -1
	}
	return i + len(text)
}

// capture returns a capture of a match, or the whole match if the pattern has no captures.
func (m *matcher) capture(found match, n int) lua.LValue {
	if n >= len(m.captures) {
		if n > 0 {
			m.fail("invalid capture index")
		}
		return lua.LString(m.s[found.from:found.to])
	}
	switch c := m.captures[n]; c.length {
	case position:
		return lua.LNumber(c.from + 1)
	case capturing:
		m.fail("unfinished capture")
		return lua.LNil
	default:
		return lua.LString(m.s[c.from : c.from+c.length])
	}
}

// pushCaptures pushes the captures; the whole match if there are none and whole is set.
func (m *matcher) pushCaptures(found match, whole bool) int {
	n := len(m.captures)
	if n == 0 && whole {
		n = 1
	}
	Pay(m.l, int64(n))
	for i := range n {
		m.l.Push(m.capture(found, i))
	}
	return n
}
