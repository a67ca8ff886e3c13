package override

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/render/override/patch"
)

// fieldText patches the JSON or YAML text in one string field (Karmada §3.5). Unlike Karmada it changes only the values
// that the operations name: comments, order, formatting, further documents and scalars stay as written (B8).
func (r ruleRun) fieldText(o policy.FieldOverrider) error {
	if (len(o.JSON) > 0) == (len(o.YAML) > 0) {
		return errors.New("exactly one of json and yaml is required, with at least one operation")
	}
	if r.object.GetKind() == "Secret" && r.object.GetAPIVersion() == "v1" && strings.HasPrefix(o.FieldPath, "/data/") {
		return fmt.Errorf("fieldPath %q: the .data of a Secret is base64; put the text under .stringData in the manifest, and patch %q",
			o.FieldPath, "/stringData"+strings.TrimPrefix(o.FieldPath, "/data"))
	}
	old := patch.Lookup(r.object.Object, o.FieldPath)
	there := patch.Patch{Operator: "replace", Path: o.FieldPath, Value: old}
	if _, err := there.Apply(r.object.Object); err != nil {
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
	set := patch.Patch{Operator: "replace", Path: there.Path, Value: edited}
	if _, err := set.Apply(r.object.Object); err != nil {
		return fmt.Errorf("fieldPath %q: %w", o.FieldPath, err)
	}
	r.recordChange(change{path: there.Path, before: old, after: set.Value})
	return nil
}

// editText applies the operations in order. YAML text that is JSON stays JSON.
func editText(text string, o policy.FieldOverrider) (string, error) {
	edit, operations := (*patch.Patch).JSON, o.JSON
	if len(o.YAML) > 0 {
		operations = o.YAML
		if !json.Valid([]byte(text)) {
			edit = (*patch.Patch).YAML
		}
	}
	for _, op := range operations {
		value, err := rawValue(op)
		if err != nil {
			return "", fmt.Errorf("%s %q: %w", op.Operator, op.SubPath, err)
		}
		if text, err = edit(&patch.Patch{Operator: op.Operator, Path: op.SubPath, Value: value}, text); err != nil {
			return "", fmt.Errorf("%s %q: %w", op.Operator, op.SubPath, err)
		}
	}
	return text, nil
}

// rawValue returns the value of an operation as compact JSON; remove has none.
func rawValue(o policy.FieldOperation) (json.RawMessage, error) {
	if o.Operator == "remove" {
		return nil, nil
	}
	if o.Value == nil || len(o.Value.Raw) == 0 {
		return nil, errors.New("a value is required")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, o.Value.Raw); err != nil {
		return nil, fmt.Errorf("value is not valid JSON: %w", err)
	}
	return b.Bytes(), nil
}

// describeField leaves out values, which may be long or secret.
func describeField(o policy.FieldOverrider) (operation, path string) {
	operations, language := o.JSON, "JSON"
	if len(o.YAML) > 0 {
		operations, language = o.YAML, "YAML"
	}
	described := make([]string, len(operations))
	for i, op := range operations {
		described[i] = op.Operator + " " + op.SubPath
	}
	return fmt.Sprintf("in its %s %s", language, strings.Join(described, ", ")), o.FieldPath
}
