package override

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// image changes one component of the images of all containers, or of the one image the predicate points at (Karmada §3.3).
func (r run) image(o policy.ImageOverrider) error {
	if o.Predicate != nil {
		return r.imageAt(o)
	}
	list, err := containersOf(r.object)
	if err != nil {
		return err
	}
	for _, c := range list {
		old, ok := c.fields["image"].(string)
		if !ok {
			return fmt.Errorf("container %q has no image", c.name())
		}
		edited, err := editImage(old, o.Component, o.Operator, o.Value)
		if err != nil {
			return fmt.Errorf("container %q: %w", c.name(), err)
		}
		if edited != old {
			c.fields["image"] = edited
			r.edited(c.pointer + "/image")
		}
	}
	return nil
}

// imageAt edits the image at the predicate's path: keys and list indexes between slashes, taken literally, without
// the escapes of a JSON pointer.
func (r run) imageAt(o policy.ImageOverrider) error {
	path, ok := strings.CutPrefix(o.Predicate.Path, "/")
	if !ok {
		return fmt.Errorf("predicate path %q does not begin with /", o.Predicate.Path)
	}
	var value any = r.object.Object
	set := func(string) {}
	for key := range strings.SplitSeq(path, "/") {
		next, setNext, err := step(value, key)
		if err != nil {
			return fmt.Errorf("predicate path %q: %w", o.Predicate.Path, err)
		}
		value, set = next, setNext
	}
	old, ok := value.(string)
	if !ok {
		return fmt.Errorf("predicate path %q is not a string", o.Predicate.Path)
	}
	edited, err := editImage(old, o.Component, o.Operator, o.Value)
	if err != nil {
		return err
	}
	if edited != old {
		set(edited)
		r.edited(o.Predicate.Path)
	}
	return nil
}

// step goes one key or index down, and returns what sets the value found there.
func step(parent any, key string) (value any, set func(string), err error) {
	switch parent := parent.(type) {
	case map[string]any:
		value, ok := parent[key]
		if !ok {
			return nil, nil, fmt.Errorf("there is no %q", key)
		}
		return value, func(s string) { parent[key] = s }, nil
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(parent) {
			return nil, nil, fmt.Errorf("%q is not an index of the list, which has %d items", key, len(parent))
		}
		return parent[i], func(s string) { parent[i] = s }, nil
	}
	return nil, nil, errors.New("there is nothing below the value before " + strconv.Quote(key))
}
