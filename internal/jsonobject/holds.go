package jsonobject

import (
	"bytes"
	"errors"
	"io"
)

// Holds is Decoder.Holds with a shared decoder.
func Holds(text []byte, live map[string]any) bool {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	return d.Holds(text, live)
}

// Holds reports whether live has every value of the object that text encodes, with lists in the same order; null and empty values
// may be absent. It returns false for malformed text, and where values only have another form ("1" and "1000m").
func (d *Decoder) Holds(text []byte, live map[string]any) bool {
	d.tokens.Reset(bytes.NewBuffer(text), lenient...)
	if d.tokens.PeekKind() != '{' || !d.holds(live) {
		return false
	}
	_, err := d.tokens.ReadToken()
	return errors.Is(err, io.EOF)
}

func (d *Decoder) holds(live any) bool {
	switch d.tokens.PeekKind() {
	case '{':
		object, _ := live.(map[string]any)
		return d.objectHolds(object)
	case '[':
		list, _ := live.([]any)
		return d.listHolds(list)
	case '"':
		text, err := d.letters()
		is, isText := live.(string)
		return err == nil && isText && is == string(text)
	case 'n':
		_, err := d.tokens.ReadToken()
		return err == nil
	}
	value, err := d.value(elsewhere)
	return err == nil && value == live
}

func (d *Decoder) objectHolds(live map[string]any) bool {
	_, _ = d.tokens.ReadToken() // the brace
	for d.tokens.PeekKind() == '"' {
		name, err := d.letters()
		if err != nil || !d.holds(live[string(name)]) {
			return false
		}
	}
	_, err := d.tokens.ReadToken()
	return err == nil
}

func (d *Decoder) listHolds(live []any) bool {
	_, _ = d.tokens.ReadToken() // the bracket
	i := 0
	for kind := d.tokens.PeekKind(); kind != ']' && kind != 0; kind = d.tokens.PeekKind() {
		if i >= len(live) || !d.holds(live[i]) {
			return false
		}
		i++
	}
	_, err := d.tokens.ReadToken()
	return err == nil && i == len(live)
}
