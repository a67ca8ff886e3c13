package override

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/policy"
)

// plaintext is one operation of a JSON Patch on the whole object (Karmada §3.5, RFC 6902).
func (r run) plaintext(o policy.PlaintextOverrider) error {
	value, err := valueOf(o.Value)
	if err != nil {
		return err
	}
	patched, err := patch(r.object.Object, o.Operator, o.Path, value)
	if err != nil {
		return fmt.Errorf("%s %q: %w", o.Operator, o.Path, err)
	}
	object, ok := patched.(map[string]any)
	if !ok {
		return fmt.Errorf("%s %q: the result is not an object", o.Operator, o.Path)
	}
	r.object.Object = object
	if r.object.GetKind() == "" || r.object.GetAPIVersion() == "" || r.object.GetName() == "" {
		return fmt.Errorf("%s %q: the result has no apiVersion, kind or name any more", o.Operator, o.Path)
	}
	r.edited(o.Path)
	return nil
}

// valueOf decodes the value of an operation; an absent one is null.
func valueOf(raw *apiextensionsv1.JSON) (any, error) {
	if raw == nil || len(raw.Raw) == 0 {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return nil, errors.New("value is not valid JSON: " + err.Error())
	}
	return value, nil
}
