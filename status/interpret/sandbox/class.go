package sandbox

import "strings"

// classEnd returns the end of the class that begins at p: one byte, %x, or a set in brackets.
func (m *matcher) classEnd(p int) int {
	c := m.p[p]
	p++
	switch c {
	case '%':
		if p == len(m.p) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		return m.setEnd(p)
	}
	return p
}

// setEnd returns the index after the bracket that closes a set; a bracket in first place belongs to the set.
func (m *matcher) setEnd(p int) int {
	if m.at(p) == '^' {
		p++
	}
	for first := true; first || m.at(p) != ']'; first = false {
		if p >= len(m.p) {
			m.fail("malformed pattern (missing ']')")
		}
		if m.p[p] == '%' {
			p++
		}
		p++
	}
	Pay(m.l, 1)
	return p + 1
}

// single reports whether the byte at i is of the class m.p[p:end].
func (m *matcher) single(i, p, end int) bool {
	if i >= len(m.s) {
		return false
	}
	switch c := m.s[i]; m.p[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.p[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	default:
		return c == m.p[p]
	}
}

// inSet reports whether c is in the set whose opening bracket is at p and whose closing bracket is at end.
func (m *matcher) inSet(c byte, p, end int) bool {
	Pay(m.l, 1+int64(end-p)/4)
	p++
	in := true
	if m.p[p] == '^' {
		in = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.p[p] == '%':
			p++
			if inClass(c, m.p[p]) {
				return in
			}
		case p+2 < end && m.p[p+1] == '-':
			if m.p[p] <= c && c <= m.p[p+2] {
				return in
			}
			p += 2
		case m.p[p] == c:
			return in
		}
	}
	return !in
}

// inClass reports whether c is in the class %x. %X is the complement; any other byte stands for itself.
func inClass(c, class byte) bool {
	lower := class | 0x20
	in := false
	switch lower {
	case 'a':
		in = letter(c)
	case 'c':
		in = c < 0x20 || c == 0x7f
	case 'd':
		in = digit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = 0x20 < c && c < 0x7f && !letter(c) && !digit(c)
	case 's':
		in = strings.IndexByte(" \f\n\r\t\v", c) >= 0
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = letter(c) || digit(c)
	case 'x':
		in = digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return c == class
	}
	return in == (class == lower)
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
