package interpret

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// read is a value that the script returned, paid for from what the call has left; empty tables are not settled.
func (r results) read(v lua.LValue) (any, error) {
	return reader{r.budget}.value(v, "", 0)
}

// table is the first result, settled like the objects, which must be a table.
func (s *script) table(out results, like ...any) (map[string]any, error) {
	v, err := out.read(out.first)
	if err != nil {
		return nil, s.fail(err)
	}
	if _, nothing := v.(empty); nothing {
		return map[string]any{}, nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, s.fail(fmt.Errorf("%s returns a %s, and not an object", s.op.Function(), out.first.Type()))
	}
	settle(object, like...)
	return object, nil
}

// object is the first result, which must be the object u after some changes.
func (s *script) object(out results, u *unstructured.Unstructured, like ...any) (map[string]any, error) {
	content, err := s.table(out, like...)
	if err != nil {
		return nil, err
	}
	changed := &unstructured.Unstructured{Object: content}
	if changed.GetAPIVersion() != u.GetAPIVersion() || changed.GetKind() != u.GetKind() ||
		changed.GetName() != u.GetName() || changed.GetNamespace() != u.GetNamespace() {
		return nil, s.fail(errors.New(s.op.Function() + " returns another object than it was given"))
	}
	return content, nil
}

// retain calls Retain(desired, observed), which returns the desired object.
func (s *script) retain(desired, observed *unstructured.Unstructured) (map[string]any, error) {
	out, err := s.call(desired.Object, observed.Object)
	if err != nil {
		return nil, err
	}
	return s.object(out, desired, desired.Object, observed.Object)
}
