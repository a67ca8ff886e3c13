package interpret

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// object returns a result that must be the object u after some changes, settled like the given values.
func (s *script) object(out sandbox.Result, u *unstructured.Unstructured, like ...any) (map[string]any, error) {
	content, err := out.Object(like...)
	if err != nil {
		return nil, s.fail(err)
	}
	changed := &unstructured.Unstructured{Object: content}
	if changed.GetAPIVersion() != u.GetAPIVersion() || changed.GetKind() != u.GetKind() ||
		changed.GetName() != u.GetName() || changed.GetNamespace() != u.GetNamespace() {
		return nil, s.fail(errors.New(s.op.Function() + " returns another object than it was given"))
	}
	return content, nil
}
