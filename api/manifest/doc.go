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

// maxMistakes is how many mistakes of one manifest are told.
const maxMistakes = 100

// Doc is one manifest being read: where its fields stand, and the mistakes found in it so far.
type Doc struct {
	Origin Origin
	Lines  Lines

	content  map[string]any
	root     reflect.Type
	hints    Hints
	mistakes []*Error
	reported map[string]bool // by field: the first mistake of a field is the one worth reading
	endless  bool            // a quantity is
	unread   bool            // nothing was read, so there is nothing more to say
}

// Value is what is written at a field ("spec.rules[1].value"), nil when nothing is or null is.
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

// Errorf notes a mistake in a field, unless one is known there already.
func (d *Doc) Errorf(field, format string, args ...any) {
	if d.reported[field] || d.unread || d.full() {
		return
	}
	d.reported[field] = true
	d.mistakes = append(d.mistakes, &Error{Origin: d.Lines.At(d.Origin, field), Message: fmt.Sprintf(format, args...)})
}

// full says that there are mistakes enough to stop looking.
func (d *Doc) full() bool { return len(d.mistakes) >= maxMistakes }

// Require notes a mistake when a required field is not there.
func (d *Doc) Require(field string, present bool) {
	if !present {
		d.Errorf(field, "%s is required", field)
	}
}

// OneOf notes a mistake when value is not one of the allowed ones. Empty is allowed here: see Require.
func (d *Doc) OneOf(field, value string, allowed ...string) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	d.Errorf(field, "%s is %q, expected %s%s", field, short(value), either(allowed), DidYouMean(value, allowed))
}

// Err is every mistake, in the order of the file, of a hundred at most; nil when there is none. Each is an *Error.
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
