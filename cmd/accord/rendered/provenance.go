package rendered

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/render/override"
)

// provenance adds comments to the fields that overrides and replica division set. It returns the comments for the top: where the
// object stands in Git, and the edits that no field shows.
func (o Object) provenance(doc *yaml.Node) []string {
	top := o.Object + ", " + o.At
	if o.At == "" {
		top = o.Object + ", made because an object in it goes here"
	}
	if replicas := fieldOf(fieldOf(doc, "spec"), "replicas"); replicas != nil && o.Share != "" {
		setComment(nil, replicas, o.Share) // an override may replace it
	}
	a := annotator{edits: o.edits, seen: map[override.Edit]bool{}}
	a.fields(doc, "", 0)
	lines := []string{top}
	for _, e := range o.edits {
		if !a.seen[e] {
			a.seen[e] = true
			lines = append(lines, fmt.Sprintf("%s was changed by %s, and that does not show below", e.Path, editedBy(e)))
		}
	}
	return lines
}

// editedBy returns policy, rule and place: "shop/eu overrideRules[0].imageOverrider[1], policies/eu.yaml:14".
func editedBy(e override.Edit) string {
	return fmt.Sprintf("%s %s, %s", e.Policy, text.ShortField(e.Field), e.At)
}

// annotator adds a comment to every field that an override set.
type annotator struct {
	edits []override.Edit
	seen  map[override.Edit]bool
}

// fields annotates the fields of a map or the items of a list, which are depth steps below the object.
func (a annotator) fields(n *yaml.Node, pointer string, depth int) {
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			a.field(nil, item, fmt.Sprintf("%s/%d", pointer, i), depth+1)
		}
		return
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		key := strings.NewReplacer("~", "~0", "/", "~1").Replace(n.Content[i].Value)
		a.field(n.Content[i], n.Content[i+1], pointer+"/"+key, depth+1)
	}
}

// field annotates one field if an edit set it as a whole, else the fields below it. It compares the number of steps, because
// insertions change indexes but not depths.
func (a annotator) field(key, value *yaml.Node, pointer string, depth int) {
	e, touched := override.LastEdit(a.edits, pointer)
	switch {
	case !touched:
	case strings.Count(e.Path, "/") <= depth:
		a.seen[e] = true
		setComment(key, value, editedBy(e))
	default:
		a.fields(value, pointer, depth)
	}
}

// fieldOf returns the value of a field, nil if there is none.
func fieldOf(n *yaml.Node, field string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == field {
			return n.Content[i+1]
		}
	}
	return nil
}

// setComment puts a comment behind a value on one line, and above anything longer.
func setComment(key, value *yaml.Node, text string) {
	text = "# " + strings.Join(strings.Fields(text), " ")
	switch {
	case value.Kind == yaml.ScalarNode && !strings.Contains(value.Value, "\n"):
		value.LineComment = text
	case key != nil:
		key.HeadComment = text
	default:
		value.HeadComment = text
	}
}
