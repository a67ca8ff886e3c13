package rendered

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/render/override"
)

// provenance puts comments at the fields that overrides and division set, and returns the lines for the top: where the
// object stands in Git, and the edits that can be seen at no field any more.
func (o renderedObject) provenance(doc *yaml.Node) []string {
	top := o.Object + ", " + o.At
	if o.At == "" {
		top = o.Object + ", made because an object in it goes here"
	}
	if replicas := fieldOf(fieldOf(doc, "spec"), "replicas"); replicas != nil && o.Share != "" {
		setComment(nil, replicas, o.Share) // unless an override says otherwise
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

// editedBy names policy, rule and place: "shop/eu overrideRules[0].imageOverrider[1], policies/eu.yaml:14".
func editedBy(e override.Edit) string {
	return fmt.Sprintf("%s %s, %s", e.Policy, text.ShortField(e.Field), e.At)
}

// annotator walks an object and says who set what.
type annotator struct {
	edits []override.Edit
	seen  map[override.Edit]bool
}

// fields comments on the fields of a mapping, or the items of a list, that lie depth steps below the object.
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

// field comments on one field if an edit set it as a whole, and else looks below it. How deep an edit went is told by
// the number of its steps: insertions change indexes, not depths.
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

// fieldOf is the value of a field; nil when there is none.
func fieldOf(n *yaml.Node, field string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == field {
			return n.Content[i+1]
		}
	}
	return nil
}

// setComment puts a comment where it reads best: behind a value on one line, above anything longer.
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
