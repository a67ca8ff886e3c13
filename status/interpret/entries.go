package interpret

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// entries calls a script with u that returns a list of objects and reads each; noun names one in an error.
func entries[T any](s *script, u *unstructured.Unstructured, noun string, read func(map[string]any) (T, error)) ([]T, error) {
	out, _, err := s.call(u.Object)
	if err != nil {
		return nil, err
	}
	list, err := s.objects(out)
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(list))
	for i, entry := range list {
		value, err := read(entry)
		if err != nil {
			return nil, unusable{s.fail(fmt.Errorf("%s %d %w", noun, i+1, err))}
		}
		all = append(all, value)
	}
	return all, nil
}

// objects returns a list of objects; nil and an empty table are an empty list.
func (s *script) objects(out sandbox.Result) ([]map[string]any, error) {
	list, err := out.List()
	if err != nil {
		return nil, s.fail(err)
	}
	objects := make([]map[string]any, 0, len(list))
	for i, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, s.fail(fmt.Errorf("entry %d of the result of %s is no object", i+1, s.op.Function()))
		}
		objects = append(objects, object)
	}
	return objects, nil
}
