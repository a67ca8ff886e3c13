package ownership

import (
	"bytes"
	"slices"
)

// canonical writes the text of a FieldsV1 in the form of appendTree, without decoding it.
type canonical struct {
	text []byte
	at   int
	out  []byte
	// open are the children of the objects that are open, and scratch is for sorting them.
	open    []span
	scratch []byte
}

// span is a child in out: its name, and its whole.
type span struct{ start, name, end int }

// maxDepth is the deepest nesting of a FieldsV1.
const maxDepth = 1000

// appendText appends the same as appendTree for text of the usual form. It returns false for any other text: names with other
// escapes than those of keys, letters outside of ASCII, values that are no objects.
func appendText(b, text []byte) ([]byte, bool) {
	var room [32]span
	c := canonical{text: text, out: b, open: room[:0]}
	ok := c.next() == '{' && c.object(0) && c.next() == 0
	return c.out, ok
}

// next skips space and returns the next byte; 0 at the end.
func (c *canonical) next() byte {
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case ' ', '\n', '\t', '\r':
		default:
			return c.text[c.at]
		}
	}
	return 0
}

func (c *canonical) object(depth int) bool {
	first, sorted := len(c.open), true
	c.at++ // the brace
	if c.next() == '}' {
		c.at++
		return true
	}
	for depth < maxDepth {
		child := span{start: len(c.out)}
		if !c.name() {
			return false
		}
		child.name = len(c.out)
		c.out = append(c.out, 0, 1)
		if c.next() != '{' || !c.object(depth+1) {
			return false
		}
		c.out = append(c.out, 0, 2)
		child.end = len(c.out)
		if n := len(c.open); n > first {
			order := bytes.Compare(c.out[c.open[n-1].start:c.open[n-1].name], c.out[child.start:child.name])
			if order == 0 {
				return false // of two equal names, the last one counts
			}
			sorted = sorted && order < 0
		}
		c.open = append(c.open, child)
		switch c.next() {
		case ',':
			c.at++
		case '}':
			c.at++
			ok := sorted || c.sort(c.open[first:])
			c.open = c.open[:first]
			return ok
		default:
			return false
		}
	}
	return false
}

// name appends the name of a child, and passes the colon.
func (c *canonical) name() bool {
	if c.next() != '"' {
		return false
	}
	for i := c.at + 1; i < len(c.text); i++ {
		switch letter := c.text[i]; {
		case letter == '"':
			c.at = i + 1
			if c.next() != ':' {
				return false
			}
			c.at++
			return true
		case letter == '\\' && i+1 < len(c.text) && (c.text[i+1] == '"' || c.text[i+1] == '\\'): // in every key of an item
			i++
			c.out = append(c.out, c.text[i])
		case letter == '\\', letter < ' ', letter >= 0x80:
			return false
		default:
			c.out = append(c.out, letter)
		}
	}
	return false
}

// sort sorts the children of an object.
func (c *canonical) sort(children []span) bool {
	start, end := children[0].start, len(c.out)
	c.scratch = append(c.scratch[:0], c.out[start:end]...)
	name := func(s span) []byte { return c.scratch[s.start-start : s.name-start] }
	slices.SortFunc(children, func(a, b span) int { return bytes.Compare(name(a), name(b)) })
	c.out = c.out[:start]
	for i, s := range children {
		if i > 0 && bytes.Equal(name(children[i-1]), name(s)) {
			return false
		}
		c.out = append(c.out, c.scratch[s.start-start:s.end-start]...)
	}
	return true
}
