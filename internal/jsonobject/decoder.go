// Package jsonobject decodes the JSON of Kubernetes objects into the values of unstructured.Unstructured. It allocates and
// computes less than encoding/json: names and short texts, which objects have in common, are in memory once.
package jsonobject

import (
	"errors"
	"fmt"
)

const (
	// maxDepth is the deepest nesting, as in apimachinery.
	maxDepth = 10000
	// shortest is the longest text that a Decoder keeps, and kept the number of such texts; a power of two.
	shortest, kept = 32, 512
)

// Decoder decodes objects and keeps short texts, which it uses again. The zero value is ready for use. It is not safe for
// concurrent use.
type Decoder struct {
	texts [kept]any // of type string
	text  []byte
	at    int
}

// Unmarshal decodes an object as k8s.io/apimachinery/pkg/util/json does: a whole number that fits is an int64, any other number
// a float64, and the last of several fields with the same name counts. The result does not refer to text.
//
// fieldsV1 of each entry of metadata.managedFields becomes a string with its JSON. The object is the whole text, or the field
// "object" of a watch event.
func (d *Decoder) Unmarshal(text []byte) (map[string]any, error) {
	d.text, d.at = text, 0
	defer func() { d.text = nil }()
	value, err := d.value(0, outside)
	if err != nil {
		return nil, err
	}
	if d.space(); d.at < len(d.text) {
		return nil, d.errorf("text after the end")
	}
	object, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, errors.New("the JSON is not an object")
	}
	return object, nil
}

// place is the position of a value on the way to fieldsV1.
type place int

const (
	elsewhere place = iota
	outside
	metadata
	managedFields
	fieldsV1
)

// below returns the place of a field of an object.
func (p place) below(name string) place {
	switch {
	case p == outside && name == "object":
		return outside
	case p == outside && name == "metadata":
		return metadata
	case p == metadata && name == "managedFields":
		return managedFields
	case p == managedFields && name == "fieldsV1":
		return fieldsV1
	}
	return elsewhere
}

func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("malformed JSON at byte %d: %s", d.at, fmt.Sprintf(format, args...))
}

func (d *Decoder) space() {
	for d.at < len(d.text) {
		switch d.text[d.at] {
		case ' ', '\n', '\t', '\r':
			d.at++
		default:
			return
		}
	}
}

// next skips space and returns the next byte; 0 at the end.
func (d *Decoder) next() byte {
	if d.space(); d.at < len(d.text) {
		return d.text[d.at]
	}
	return 0
}

func (d *Decoder) value(depth int, p place) (any, error) {
	if depth > maxDepth {
		return nil, d.errorf("nested deeper than %d levels", maxDepth)
	}
	switch c := d.next(); c {
	case '{':
		if start := d.at; p == fieldsV1 {
			if err := d.skip(); err != nil {
				return nil, err
			}
			return string(d.text[start:d.at]), nil
		}
		return d.object(depth, p)
	case '[':
		return d.list(depth, p)
	case '"':
		return d.string()
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return d.number()
		}
		return nil, d.errorf("no value begins here")
	}
}

func (d *Decoder) object(depth int, p place) (any, error) {
	object := map[string]any{}
	d.at++ // the brace
	if d.next() == '}' {
		d.at++
		return object, nil
	}
	for {
		name, err := d.name()
		if err != nil {
			return nil, err
		}
		if object[name], err = d.value(depth+1, p.below(name)); err != nil {
			return nil, err
		}
		if more, err := d.more('}'); !more {
			return object, err
		}
	}
}

// name reads the name of a field and the colon.
func (d *Decoder) name() (string, error) {
	if d.next() != '"' {
		return "", d.errorf("expected the name of a field")
	}
	text, err := d.string()
	if err != nil {
		return "", err
	}
	if d.next() != ':' {
		return "", d.errorf("expected a colon")
	}
	d.at++
	return text.(string), nil
}

// more reads a comma, or the end of an object or a list.
func (d *Decoder) more(end byte) (bool, error) {
	switch d.next() {
	case ',':
		d.at++
		return true, nil
	case end:
		d.at++
		return false, nil
	}
	return false, d.errorf("expected a comma or %q", end)
}

func (d *Decoder) list(depth int, p place) (any, error) {
	list := []any{}
	d.at++ // the bracket
	if d.next() == ']' {
		d.at++
		return list, nil
	}
	for {
		value, err := d.value(depth+1, p)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if more, err := d.more(']'); !more {
			return list, err
		}
	}
}

// skip passes an object.
func (d *Decoder) skip() error {
	end, err := objectEnd(d.text[d.at:], 0, 0)
	if err == nil && (end.at == 0 || end.depth > 0) {
		err = errors.New("an object does not end")
	}
	d.at += end.at
	return err
}
