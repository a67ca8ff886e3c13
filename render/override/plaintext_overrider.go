package override

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/render/override/patch"
)

// plaintexts applies the operations of one rule as one JSON Patch of the whole object (Karmada §3.2, §3.5, RFC 6902).
// An operation may leave the object invalid if a later one repairs it.
func (r ruleRun) plaintexts(entries []policy.PlaintextOverrider) error {
	if len(entries) == 0 {
		return nil
	}
	var broken error
	id := manifest.IDOf(r.object)
	err := applyEntries(r, "plaintext", entries, func(r ruleRun, o policy.PlaintextOverrider) error {
		if err := r.plaintext(o); err != nil {
			return err
		}
		switch {
		case r.isObject():
			broken = nil
		case broken == nil:
			broken = r.entryError("plaintext", id, fmt.Errorf("%s %q: the result has no apiVersion, kind or name", o.Operator, o.Path))
		}
		return nil
	}, describePlaintext)
	if err != nil {
		return err
	}
	return broken
}

func (r ruleRun) isObject() bool {
	return r.object.GetKind() != "" && r.object.GetAPIVersion() != "" && r.object.GetName() != ""
}

// plaintext applies one operation.
func (r ruleRun) plaintext(o policy.PlaintextOverrider) error {
	value, err := decodeValue(o.Value)
	if err != nil {
		return err
	}
	p := patch.Patch{Operator: o.Operator, Path: o.Path, Value: value, OfObject: true}
	patched, err := p.Apply(r.object.Object)
	if err != nil {
		return fmt.Errorf("%s %q: %w", o.Operator, o.Path, err)
	}
	object, ok := patched.(map[string]any)
	if !ok {
		return fmt.Errorf("%s %q: the result is not an object", o.Operator, o.Path)
	}
	r.object.Object = object
	c := change{path: p.Path, before: p.Before, shift: p.IndexShift}
	switch {
	case o.Operator == "remove":
	case p.Existed && reflect.DeepEqual(p.Before, value):
		return nil
	default:
		c.after = value
		if r.record.tracing {
			c.lost = lost(p.Before, value)
		}
	}
	r.recordChange(c)
	return nil
}

// describePlaintext leaves out the value, which may be long or secret.
func describePlaintext(o policy.PlaintextOverrider) (operation, path string) {
	return o.Operator + " " + cmp.Or(o.Path, "the whole object"), o.Path
}

// decodeValue decodes the value of an operation; an absent value is null.
func decodeValue(raw *apiextensionsv1.JSON) (any, error) {
	if raw == nil || len(raw.Raw) == 0 {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return nil, errors.New("value is not valid JSON: " + err.Error())
	}
	return value, nil
}
