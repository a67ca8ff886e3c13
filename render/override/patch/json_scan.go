package patch

import (
	"encoding/json"
	"strings"
)

// jsonContainer is an object or an array in valid JSON text.
type jsonContainer struct {
	text        string
	open, close int // of the brackets
	members     []jsonMember
}

// jsonMember is a member of an object, or an item of an array, as offsets. at is the beginning of the key or item;
// start and end enclose the value.
type jsonMember struct {
	key            string
	at, start, end int
}

func (c jsonContainer) isObject() bool { return c.text[c.open] == '{' }

// containerAt scans the object or array that begins at offset open.
func containerAt(text string, open int) jsonContainer {
	c := jsonContainer{text: text, open: open}
	for i := endOfSpace(text, open+1); ; i = endOfSpace(text, i) {
		switch text[i] {
		case ',':
			i++
			continue
		case '}', ']':
			c.close = i
			return c
		}
		m := jsonMember{at: i, start: i}
		if c.isObject() {
			end := endOfValue(text, i)
			m.key = unquote(text[i:end])
			m.start = endOfSpace(text, endOfSpace(text, end)+1)
		}
		m.end = endOfValue(text, m.start)
		c.members = append(c.members, m)
		i = m.end
	}
}

// unquote decodes a valid JSON string.
func unquote(quoted string) string {
	var s string
	if json.Unmarshal([]byte(quoted), &s) != nil {
		return quoted
	}
	return s
}

// endOfSpace returns the offset after white space.
func endOfSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// endOfValue returns the offset after the value that begins at i.
func endOfValue(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of the container around a number or a word
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
