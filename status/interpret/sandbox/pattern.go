package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Patterns are those of Lua 5.1, with %f.

// maxNesting limits the positions to which a match can backtrack.
const maxNesting = 200

// match is the part of the subject that a pattern matched: s[from:to].
type match struct{ from, to int }

// matcher matches the pattern p in s; the script pays for each step, so a pattern that backtracks endlessly is stopped.
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
	Pay(l, entryPrice)
	return m
}

// search returns the first match at or after from.
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

// match returns the end of the match of the pattern from p on at i, or -1.
func (m *matcher) match(i, p int) int {
	if m.nesting++; m.nesting > maxNesting {
		m.fail("pattern too complex")
	}
	defer func() { m.nesting-- }()
	for {
		Pay(m.l, 1)
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

// at returns a byte of the pattern, 0 after its end.
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

// byteAt returns a byte of the subject, 0 outside of it.
func (m *matcher) byteAt(i int) byte {
	if i < 0 || i >= len(m.s) {
		return 0
	}
	return m.s[i]
}

// most matches as many repetitions as possible, and fewer while the rest does not match.
func (m *matcher) most(i, p, end int, one bool) int {
	n := 0
	for m.single(i+n, p, end) {
		n++
	}
	Pay(m.l, int64(n))
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

// fewest matches no repetition, and more while the rest does not match.
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

// balance matches %bxy.
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
				Pay(m.l, int64(j-i))
				return j + 1
			}
		case opening:
			depth++
		}
	}
	Pay(m.l, int64(len(m.s)-i))
	return -1
}

// fail stops a script because of its pattern.
func (m *matcher) fail(why string) { m.l.RaiseError("%s", why) }
