package jsonobject

import (
	"bytes"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// errNoMetadata is the error of a text without metadata.
var errNoMetadata = errors.New("the JSON is not an object with metadata")

// Managed returns resourceVersion and managedFields of the metadata of an object, and skips the rest. Of an entry of managedFields,
// it returns manager, operation, subresource and fieldsV1, which refers to text. As everywhere, the last of several fields with the
// same name counts.
func Managed(text []byte) (version string, managers []metav1.ManagedFieldsEntry, err error) {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	d.tokens.Reset(bytes.NewBuffer(text), lenient...)
	found := false
	err = d.fields(func(name string) error {
		if name != "metadata" {
			return d.tokens.SkipValue()
		}
		found, version, managers = true, "", nil
		return d.fields(func(name string) error {
			switch name {
			case "resourceVersion":
				return d.text(&version)
			case "managedFields":
				managers = nil
				return d.items(func() error {
					e, err := d.manager(text)
					managers = append(managers, e)
					return err
				})
			}
			return d.tokens.SkipValue()
		})
	})
	if err != nil {
		return "", nil, malformed(err)
	}
	if _, err := d.tokens.ReadToken(); !errors.Is(err, io.EOF) || !found {
		return "", nil, errNoMetadata
	}
	return version, managers, nil
}

// manager reads an entry of managedFields of text.
func (d *Decoder) manager(text []byte) (e metav1.ManagedFieldsEntry, err error) {
	var operation string
	err = d.fields(func(name string) error {
		switch name {
		case "manager":
			return d.text(&e.Manager)
		case "operation":
			return d.text(&operation)
		case "subresource":
			return d.text(&e.Subresource)
		case "fieldsV1":
			value, err := d.tokens.ReadValue()
			end := int(d.tokens.InputOffset()) // value is valid until the next call only
			e.FieldsV1 = &metav1.FieldsV1{Raw: text[end-len(value) : end]}
			return err
		}
		return d.tokens.SkipValue()
	})
	e.Operation = metav1.ManagedFieldsOperationType(operation)
	return e, err
}

// fields calls field with the name of each field of an object, which has to read the value.
func (d *Decoder) fields(field func(name string) error) error {
	if d.tokens.PeekKind() != '{' {
		return d.tokens.SkipValue() // null, or of another form
	}
	_, err := d.tokens.ReadToken()
	for err == nil && d.tokens.PeekKind() == '"' {
		var name any
		if name, err = d.string(); err == nil {
			err = field(name.(string))
		}
	}
	if err == nil {
		_, err = d.tokens.ReadToken()
	}
	return err
}

// items calls item for each item of a list, which has to read the item.
func (d *Decoder) items(item func() error) error {
	if d.tokens.PeekKind() != '[' {
		return d.tokens.SkipValue()
	}
	_, err := d.tokens.ReadToken()
	for kind := d.tokens.PeekKind(); err == nil && kind != ']' && kind != 0; kind = d.tokens.PeekKind() {
		err = item()
	}
	if err == nil {
		_, err = d.tokens.ReadToken()
	}
	return err
}

// text reads a text; null and other values count as empty.
func (d *Decoder) text(into *string) error {
	*into = ""
	if d.tokens.PeekKind() != '"' {
		return d.tokens.SkipValue()
	}
	s, err := d.string()
	if err == nil {
		*into = s.(string)
	}
	return err
}
