// Package jsonobject decodes the JSON of Kubernetes objects into the values of unstructured.Unstructured. It allocates less than a
// generic decoder: names and short texts, which objects have in common, are in memory once.
package jsonobject

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// shortest is the longest text that a Decoder keeps, and kept the number of such texts.
const shortest, kept = 32, 512

// lenient are the options with which API servers and their clients read JSON.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// seed of the places of kept texts.
var seed = maphash.MakeSeed()

// Decoder decodes objects and keeps short texts, which it uses again. The zero value is ready for use. It is not safe for
// concurrent use.
type Decoder struct {
	texts  [kept]any // of type string
	tokens jsontext.Decoder
	room   []byte
}

// Unmarshal decodes an object as k8s.io/apimachinery/pkg/util/json does: a whole number that fits is an int64, any other number
// a float64, and the last of several fields with the same name counts. The result does not refer to text.
//
// fieldsV1 of each entry of metadata.managedFields becomes a string with its JSON. The object is the whole text, or the field
// "object" of a watch event.
func (d *Decoder) Unmarshal(text []byte) (map[string]any, error) { return d.unmarshal(text, outside) }

// UnmarshalAll is Unmarshal, but fieldsV1 has the form of any other field.
func (d *Decoder) UnmarshalAll(text []byte) (map[string]any, error) {
	return d.unmarshal(text, elsewhere)
}

func (d *Decoder) unmarshal(text []byte, at place) (map[string]any, error) {
	d.tokens.Reset(bytes.NewBuffer(text), lenient...)
	value, err := d.value(at)
	if err != nil {
		return nil, malformed(err)
	}
	if _, err := d.tokens.ReadToken(); err == nil {
		return nil, errors.New("malformed JSON: text after the end")
	} else if !errors.Is(err, io.EOF) {
		return nil, malformed(err)
	}
	object, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, errors.New("the JSON is not an object")
	}
	return object, nil
}

func malformed(err error) error { return fmt.Errorf("malformed JSON: %w", err) }

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

func (d *Decoder) value(p place) (any, error) {
	switch d.tokens.PeekKind() {
	case '{':
		if p == fieldsV1 {
			text, err := d.tokens.ReadValue()
			return string(text), err
		}
		return d.object(p)
	case '[':
		return d.list(p)
	case '"':
		return d.string()
	case '0':
		text, err := d.tokens.ReadValue()
		if err != nil {
			return nil, err
		}
		return number(text)
	}
	token, err := d.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (d *Decoder) object(p place) (any, error) {
	if _, err := d.tokens.ReadToken(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for d.tokens.PeekKind() == '"' {
		name, err := d.string()
		if err != nil {
			return nil, err
		}
		if object[name.(string)], err = d.value(p.below(name.(string))); err != nil {
			return nil, err
		}
	}
	_, err := d.tokens.ReadToken()
	return object, err
}

func (d *Decoder) list(p place) (any, error) {
	if _, err := d.tokens.ReadToken(); err != nil {
		return nil, err
	}
	list := []any{}
	for kind := d.tokens.PeekKind(); kind != ']' && kind != 0; kind = d.tokens.PeekKind() {
		value, err := d.value(p)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.tokens.ReadToken()
	return list, err
}

// string returns a text as an interface of type string: that of a short text is in memory once.
func (d *Decoder) string() (any, error) {
	text, err := d.letters()
	if err != nil {
		return nil, err
	}
	if len(text) > shortest {
		return string(text), nil
	}
	slot := &d.texts[maphash.Bytes(seed, text)%kept]
	if known, ok := (*slot).(string); !ok || known != string(text) {
		*slot = string(text)
	}
	return *slot, nil
}

// letters returns a text without its escapes, until the next call.
func (d *Decoder) letters() ([]byte, error) {
	quoted, err := d.tokens.ReadValue()
	if err != nil {
		return nil, err
	}
	for _, c := range quoted {
		if c == '\\' || c >= utf8.RuneSelf {
			d.room, _ = jsontext.AppendUnquote(d.room[:0], quoted) // the error is about letters that it replaced
			return d.room, nil
		}
	}
	return quoted[1 : len(quoted)-1], nil
}

// number returns an int64 or a float64.
func number(text []byte) (any, error) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(string(text), 64)
}
