package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxMistakes bounds the mistakes that are reported for one manifest.
const maxMistakes = 100

// Doc is a manifest during decoding and validation: it holds the positions of its fields and the mistakes found so
// far.
type Doc struct {
	Origin Origin
	Lines  Lines

	content  map[string]any
	root     reflect.Type
	hints    Hints
	mistakes []*Error
	reported map[string]bool // by field; only the first mistake of a field is reported
	endless  bool            // the manifest contains an endless quantity
	unread   bool            // nothing was decoded, so later mistakes are noise
}

// Value returns the value of a field ("spec.rules[1].value"), nil if it is absent or null.
func (d *Doc) Value(field string) any {
	var value any = d.content
	for segment := range strings.SplitSeq(field, ".") {
		name, index, listed := strings.Cut(strings.TrimSuffix(segment, "]"), "[")
		object, _ := value.(map[string]any)
		value = object[name]
		if !listed {
			continue
		}
		items, _ := value.([]any)
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(items) {
			return nil
		}
		value = items[i]
	}
	return value
}

// Errorf records a mistake in a field, unless the field already has one.
func (d *Doc) Errorf(field, format string, args ...any) {
	if d.reported[field] || d.unread || d.full() {
		return
	}
	d.reported[field] = true
	d.mistakes = append(d.mistakes, &Error{Origin: d.Lines.At(d.Origin, field), Message: fmt.Sprintf(format, args...)})
}

// full reports whether the limit of mistakes is reached.
func (d *Doc) full() bool { return len(d.mistakes) >= maxMistakes }

// Require records a mistake if a required field is absent.
func (d *Doc) Require(field string, present bool) {
	if !present {
		d.Errorf(field, "%s is required", field)
	}
}

// OneOf records a mistake if value is not one of the allowed values. An empty value is allowed: see Require.
func (d *Doc) OneOf(field, value string, allowed ...string) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	d.Errorf(field, "%s is %q, expected %s%s", field, short(value), either(allowed), DidYouMean(value, allowed))
}

// Err returns all mistakes in the order of the file, at most a hundred; nil if there are none. Each is an *Error.
func (d *Doc) Err() error {
	slices.SortStableFunc(d.mistakes, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Origin.Line, b.Origin.Line), cmp.Compare(a.Origin.Column, b.Origin.Column))
	})
	errs := make([]error, len(d.mistakes))
	for i, m := range d.mistakes {
		errs[i] = m
	}
	if d.full() {
		errs = append(errs, &Error{Origin: d.Origin, Message: fmt.Sprintf("has %d mistakes or more; the rest of it was not read", maxMistakes)})
	}
	return errors.Join(errs...)
}
