package interpret

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Patterns are those of Lua 5.1, with %f. Each step is paid for, so that one that goes back and forth without end is stopped
// like a loop that does.

// maxNesting is how much a match can remember to go back to.
const maxNesting = 200

// match is where a pattern matched: s[from:to].
type match struct{ from, to int }

// matcher matches the pattern p in s for a script, which pays for it.
type matcher struct {
	l        *lua.LState
	s, p     string
	anchored bool
	captures []capture
	nesting  int
}

func newMatcher(l *lua.LState, s, p string) *matcher {
	m := &matcher{l: l, s: s, p: p}
	m.p, m.anchored = strings.CutPrefix(p, "^")
	pay(l, entryPrice)
	return m
}

// search finds the first match at or behind a place.
func (m *matcher) search(from int) (match, bool) {
	for i := from; i <= len(m.s); i++ {
		m.captures, m.nesting = m.captures[:0], 0
		if to := m.match(i, 0); to >= 0 {
			return match{i, to}, true
		}
		if m.anchored {
			break
		}
	}
	return match{}, false
}

// match is where the pattern from p on ends if it matches at i, or -1.
func (m *matcher) match(i, p int) int {
	if m.nesting++; m.nesting > maxNesting {
		m.fail("pattern too complex")
	}
	defer func() { m.nesting-- }()
	for {
		pay(m.l, 1)
		if p == len(m.p) {
			return i
		}
		switch m.p[p] {
		case '(':
			return m.open(i, p+1)
		case ')':
			return m.close(i, p+1)
		case '$':
			if p+1 == len(m.p) {
				if i == len(m.s) {
					return i
				}
				return -1
			}
		case '%':
			if next, q, special := m.special(i, p); special {
				if next < 0 {
					return -1
				}
				i, p = next, q
				continue
			}
		}
		end := m.classEnd(p)
		switch quantifier := m.at(end); quantifier {
		case '?':
			if m.single(i, p, end) {
				if to := m.match(i+1, end+1); to >= 0 {
					return to
				}
			}
			p = end + 1
		case '*', '+':
			return m.most(i, p, end, quantifier == '+')
		case '-':
			return m.fewest(i, p, end)
		default:
			if !m.single(i, p, end) {
				return -1
			}
			i, p = i+1, end
		}
	}
}

// at is a byte of the pattern, 0 behind its end.
func (m *matcher) at(p int) byte {
	if p < len(m.p) {
		return m.p[p]
	}
	return 0
}

// special matches %b, %f and %1; special is false for a class.
func (m *matcher) special(i, p int) (next, q int, special bool) {
	switch c := m.at(p + 1); {
	case c == 'b':
		return m.balance(i, p+2), p + 4, true
	case c == 'f':
		if m.at(p+2) != '[' {
			m.fail("missing '[' after '%f' in pattern")
		}
		end := m.classEnd(p + 2)
		if m.inSet(m.byteAt(i-1), p+2, end-1) || !m.inSet(m.byteAt(i), p+2, end-1) {
			return -1, 0, true
		}
		return i, end, true
	case c >= '0' && c <= '9':
		return m.again(i, int(c-'1')), p + 2, true
	}
	return 0, 0, false
}

// byteAt is a byte of the subject, 0 outside.
func (m *matcher) byteAt(i int) byte {
	if i < 0 || i >= len(m.s) {
		return 0
	}
	return m.s[i]
}

// most matches as many as there are, and fewer as long as the rest does not match.
func (m *matcher) most(i, p, end int, one bool) int {
	n := 0
	for m.single(i+n, p, end) {
		n++
	}
	pay(m.l, int64(n))
	least := 0
	if one {
		least = 1
	}
	for ; n >= least; n-- {
		if to := m.match(i+n, end+1); to >= 0 {
			return to
		}
	}
	return -1
}

// fewest matches none, and more as long as the rest does not match.
func (m *matcher) fewest(i, p, end int) int {
	for {
		if to := m.match(i, end+1); to >= 0 {
			return to
		}
		if !m.single(i, p, end) {
			return -1
		}
		i++
	}
}

// balance is %bxy.
func (m *matcher) balance(i, p int) int {
	if p+1 >= len(m.p) {
		m.fail("unbalanced pattern")
	}
	opening, closing := m.p[p], m.p[p+1]
	if i >= len(m.s) || m.s[i] != opening {
		return -1
	}
	depth := 1
	for j := i + 1; j < len(m.s); j++ {
		switch m.s[j] {
		case closing:
			if depth--; depth == 0 {
				pay(m.l, int64(j-i))
				return j + 1
			}
		case opening:
			depth++
		}
	}
	pay(m.l, int64(len(m.s)-i))
	return -1
}

// fail stops a script for what is wrong with its pattern.
func (m *matcher) fail(why string) { m.l.RaiseError("%s", why) }
