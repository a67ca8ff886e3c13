package search

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Selector selects objects. Empty fields select all.
type Selector struct {
	Namespace string
	Labels    labels.Selector
	// Fields are paths of simple values, "spec.nodeName".
	Fields fields.Selector
}

// Matches reports whether an object is selected.
func (s Selector) Matches(o *Object) bool {
	if s.Namespace != "" && o.Namespace != s.Namespace {
		return false
	}
	if s.Labels != nil && !s.Labels.Empty() && !s.Labels.Matches(o.labels) {
		return false
	}
	return s.Fields == nil || s.Fields.Empty() || s.Fields.Matches(&values{object: o})
}

// values are the fields of an object. Its JSON is decoded if more than the name is selected.
type values struct {
	object *Object
	tree   map[string]any
}

// Has implements fields.Fields.
func (v *values) Has(field string) bool { return true }

// Get implements fields.Fields. As on API servers, an absent text is "", and an absent truth value "false".
func (v *values) Get(field string) string {
	switch field {
	case "metadata.name":
		return v.object.Name
	case "metadata.namespace":
		return v.object.Namespace
	}
	if v.tree == nil {
		_ = json.Unmarshal(v.object.AppendJSON(nil, v.object.Version), &v.tree) // it was decoded before
	}
	var value any = v.tree
	for name := range strings.SplitSeq(field, ".") {
		below, _ := value.(map[string]any)
		value = below[name]
	}
	if value == nil && field == "spec.unschedulable" {
		return "false"
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
