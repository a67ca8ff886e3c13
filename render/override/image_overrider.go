package override

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// image edits one component of the images of all containers, or of the image at the predicate's path (Karmada §3.3).
func (r ruleRun) image(o policy.ImageOverrider) error {
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
			before := c.fields["image"]
			c.fields["image"] = edited
			r.recordChange(change{path: c.pointer + "/image", before: before, after: c.fields["image"]})
		}
	}
	return nil
}

// imageAt edits the image at the predicate's path. The path consists of literal keys and list indexes; it is not a JSON
// pointer and has no escapes.
func (r ruleRun) imageAt(o policy.ImageOverrider) error {
	path, ok := strings.CutPrefix(o.Predicate.Path, "/")
	if !ok {
		return fmt.Errorf("predicate path %q must begin with /", o.Predicate.Path)
	}
	var value any = r.object.Object
	set := func(any) {}
	for key := range strings.SplitSeq(path, "/") {
		next, setNext, err := descend(value, key)
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
		after := any(edited)
		set(after)
		r.recordChange(change{path: pointerOf(o.Predicate), before: value, after: after})
	}
	return nil
}

// pointerOf returns the path of a predicate as a JSON pointer.
func pointerOf(p *policy.ImagePredicate) string { return strings.ReplaceAll(p.Path, "~", "~0") }

func describeImage(o policy.ImageOverrider) (operation, path string) {
	if o.Predicate != nil {
		path = pointerOf(o.Predicate)
	}
	return describeEdit(o.Component, o.Operator, o.Value), path
}

// descend returns the value at a key or index of parent, and a function that replaces it.
func descend(parent any, key string) (value any, set func(any), err error) {
	switch parent := parent.(type) {
	case map[string]any:
		value, ok := parent[key]
		if !ok {
			return nil, nil, fmt.Errorf("there is no %q", key)
		}
		return value, func(v any) { parent[key] = v }, nil
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(parent) {
			return nil, nil, fmt.Errorf("%q is not an index of the list, which has %d items", key, len(parent))
		}
		return parent[i], func(v any) { parent[i] = v }, nil
	}
	return nil, nil, fmt.Errorf("the value before %q is neither a map nor a list", key)
}
