package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// JSON returns patched JSON text. Other members and items keep their order, formatting and digits.
func (p *Patch) JSON(text string) (string, error) {
	if err := p.parse(); err != nil {
		return "", err
	}
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return "", &SensitiveError{fmt.Errorf("the text is not valid JSON: %w", err), "the text is not valid"}
	}
	start := endOfSpace(text, 0)
	if text[start] != '{' && text[start] != '[' {
		return "", errNotContainer
	}
	if len(p.keys) == 0 {
		return text[:start] + p.raw() + text[endOfValue(text, start):], nil
	}
	for depth := range p.keys {
		if text[start] != '{' && text[start] != '[' {
			return "", p.notContainerError(depth)
		}
		c := containerAt(text, start)
		i, err := c.find(p, depth)
		if err != nil {
			return "", err
		}
		if p.isLast(depth) {
			return c.edit(p, i), nil
		}
		start = c.members[i].start
	}
	return text, nil
}

// errNotContainer rejects text that has nothing to patch.
var errNotContainer = errors.New("the text is not a map or a list")

// raw returns the value of the patch as JSON text.
func (p *Patch) raw() string {
	raw, _ := p.Value.(json.RawMessage)
	return string(raw)
}

// find returns the index of the member that the key at depth selects. For a member to add, it returns the number of
// members.
func (c jsonContainer) find(p *Patch, depth int) (int, error) {
	if !c.isObject() {
		return p.index(len(c.members), depth)
	}
	key, found := unescape(p.keys[depth]), len(c.members)
	for i, m := range c.members {
		if m.key != key {
			continue
		}
		if found < len(c.members) {
			return 0, fmt.Errorf("duplicate key %q", p.pointer(depth+1))
		}
		found = i
	}
	return found, p.requireKey(found < len(c.members), depth)
}

// edit returns the text with member i added, replaced or removed.
func (c jsonContainer) edit(p *Patch, i int) string {
	switch {
	case p.Operator == "remove":
		return c.remove(i)
	case i < len(c.members) && p.IndexShift == 0:
		m := c.members[i]
		return c.text[:m.start] + c.indented(p.raw(), m.at) + c.text[m.end:]
	}
	return c.insert(p, i)
}

func (c jsonContainer) remove(i int) string {
	from, to := c.open+1, c.close
	switch {
	case i+1 < len(c.members):
		from, to = c.members[i].at, c.members[i+1].at
	case i > 0:
		from, to = c.members[i-1].end, c.members[i].end
	}
	return c.text[:from] + c.text[to:]
}

// insert adds a member in the format of its neighbours.
func (c jsonContainer) insert(p *Patch, i int) string {
	key := ""
	if c.isObject() {
		key = quote(unescape(p.keys[len(p.keys)-1])) + c.colon()
	}
	if len(c.members) == 0 {
		return c.text[:c.open+1] + key + p.raw() + c.text[c.close:]
	}
	comma := c.comma()
	if i < len(c.members) {
		at := c.members[i].at
		return c.text[:at] + key + c.indented(p.raw(), at) + comma + c.text[at:]
	}
	last := c.members[i-1]
	return c.text[:last.end] + comma + key + c.indented(p.raw(), last.at) + c.text[last.end:]
}

// colon returns the separator of key and value.
func (c jsonContainer) colon() string {
	if len(c.members) == 0 {
		if strings.Contains(c.text, `": `) {
			return ": "
		}
		return ":"
	}
	last := c.members[len(c.members)-1]
	return c.text[endOfValue(c.text, last.at):last.start]
}

// comma returns the separator of members.
func (c jsonContainer) comma() string {
	first := c.members[0]
	if len(c.members) > 1 {
		return c.text[first.end:c.members[1].at]
	}
	if lead := c.text[c.open+1 : first.at]; strings.Contains(lead, "\n") {
		return "," + lead
	}
	if c.isObject() && first.start > endOfValue(c.text, first.at)+1 {
		return ", "
	}
	return ","
}

// indented formats a value for the line of offset at. It uses several lines if the text does.
func (c jsonContainer) indented(raw string, at int) string {
	open := endOfSpace(c.text, 0) + 1
	first := endOfSpace(c.text, open)
	unit := lineIndent(c.text, first)
	if unit == "" || !strings.Contains(c.text[open:first], "\n") {
		return raw
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(raw), lineIndent(c.text, at), unit); err != nil {
		return raw
	}
	return b.String()
}

// lineIndent returns the white space at the beginning of the line of offset at.
func lineIndent(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// quote encodes a string as JSON without HTML escapes.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return strings.TrimSuffix(b.String(), "\n")
}
