package override

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// embedded patches the JSON or YAML text in one string field (Karmada §3.5). Unlike Karmada it touches only what the
// operations name: comments, order, formatting, other documents and scalars stay as they were written (B8).
func (r run) embedded(o policy.FieldOverrider) error {
	if (len(o.JSON) > 0) == (len(o.YAML) > 0) {
		return errors.New("it needs either json or yaml, with at least one operation")
	}
	if r.object.GetKind() == "Secret" && strings.HasPrefix(o.FieldPath, "/data/") {
		return fmt.Errorf("fieldPath %q: the .data of a Secret is base64; put the text under .stringData in the manifest, and patch %q",
			o.FieldPath, "/stringData"+strings.TrimPrefix(o.FieldPath, "/data"))
	}
	old := lookup(r.object.Object, o.FieldPath)
	there := patch{operator: "replace", path: o.FieldPath, value: old}
	if _, err := there.apply(r.object.Object); err != nil {
		return fmt.Errorf("fieldPath %q: %w", o.FieldPath, err)
	}
	text, ok := old.(string)
	if !ok {
		return fmt.Errorf("fieldPath %q is not a string", o.FieldPath)
	}
	edited, err := editText(text, o)
	if err != nil {
		return fmt.Errorf("fieldPath %q: %w", o.FieldPath, err)
	}
	if edited == text {
		return nil
	}
	set := patch{operator: "replace", path: there.path, value: edited}
	if _, err := set.apply(r.object.Object); err != nil {
		return fmt.Errorf("fieldPath %q: %w", o.FieldPath, err)
	}
	r.changed(change{path: there.path, before: old, after: set.value})
	return nil
}

// editText applies the operations in order. YAML text that is JSON stays JSON.
func editText(text string, o policy.FieldOverrider) (string, error) {
	edit, operations := patchJSON, o.JSON
	if len(o.YAML) > 0 {
		operations = o.YAML
		if !json.Valid([]byte(text)) {
			edit = patchYAML
		}
	}
	for _, op := range operations {
		p, err := patchOf(op)
		if err != nil {
			return "", fmt.Errorf("%s %q: %w", op.Operator, op.SubPath, err)
		}
		if text, err = edit(text, p); err != nil {
			return "", fmt.Errorf("%s %q: %w", op.Operator, op.SubPath, err)
		}
	}
	return text, nil
}

// patchOf is an operation as a patch, whose value is compact json.RawMessage.
func patchOf(o policy.FieldOperation) (*patch, error) {
	p := &patch{operator: o.Operator, path: o.SubPath}
	if err := p.parse(); err != nil {
		return nil, err
	}
	if o.Operator == "remove" {
		return p, nil
	}
	if o.Value == nil || len(o.Value.Raw) == 0 {
		return nil, errors.New("it needs a value")
	}
	value, err := compact(o.Value.Raw)
	if err != nil {
		return nil, fmt.Errorf("value is not valid JSON: %w", err)
	}
	p.value = value
	return p, nil
}

// sayField has no values, which may be long or secret.
func sayField(o policy.FieldOverrider) (operation, path string) {
	operations, language := o.JSON, "JSON"
	if len(o.YAML) > 0 {
		operations, language = o.YAML, "YAML"
	}
	said := make([]string, len(operations))
	for i, op := range operations {
		said[i] = op.Operator + " " + op.SubPath
	}
	return fmt.Sprintf("in its %s %s", language, strings.Join(said, ", ")), o.FieldPath
}
