package interpret

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// entries calls a script about u that returns a list of objects, and reads each; what says in an error what they are.
func entries[T any](s *script, u *unstructured.Unstructured, what string, read func(map[string]any) (T, error)) ([]T, error) {
	out, err := s.call(u.Object)
	if err != nil {
		return nil, err
	}
	list, err := s.list(out)
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(list))
	for i, entry := range list {
		value, err := read(entry)
		if err != nil {
			return nil, s.fail(fmt.Errorf("%s %d %w", what, i+1, err))
		}
		all = append(all, value)
	}
	return all, nil
}

// list is the first result, a list of objects; nil and an empty table are an empty one.
func (s *script) list(out results) ([]map[string]any, error) {
	v, err := out.read(out.first)
	if err != nil {
		return nil, s.fail(err)
	}
	items, ok := v.([]any)
	if _, nothing := v.(empty); !ok && v != nil && !nothing {
		return nil, s.fail(fmt.Errorf("%s returns a %s, and not a list", s.op.Function(), out.first.Type()))
	}
	objects := make([]map[string]any, 0, len(items))
	for i, item := range items {
		settled, _ := settle(item)
		object, ok := settled.(map[string]any)
		if !ok {
			return nil, s.fail(fmt.Errorf("entry %d of what %s returns is no object", i+1, s.op.Function()))
		}
		objects = append(objects, object)
	}
	return objects, nil
}
