package decode

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

func (d *Decoder) mapping(n *yaml.Node, depth int) (none sharedValue, err error) {
	fields := make([]field, 0, len(n.Content)/2)
	known := names{few: make([]string, 0, len(n.Content)/2)}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!null" {
			hint := ""
			if key.Kind == yaml.MappingNode { // {{ name }} is a mapping whose key is a mapping
				hint = renderFirst
			}
			return none, d.Errorf(n.Content[i], "has a mapping key that is not a string%s", hint)
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if !known.add(key.Value) {
			return none, d.Errorf(n.Content[i], "duplicate key %.100q", key.Value)
		}
		d.Bytes += len(key.Value)
		value, err := d.decode(n.Content[i+1], depth+1)
		if err != nil {
			return none, err
		}
		fields = append(fields, field{key.Value, value})
	}
	for _, from := range merged {
		if fields, err = d.merge(fields, &known, from, depth+1); err != nil {
			return none, err
		}
	}
	return d.Sharing.object(fields), nil
}

// names are the names of the fields of a mapping.
type names struct {
	few  []string
	many map[string]bool // instead, of more than fewNames
}

const fewNames = 16

// add reports whether a name is new.
func (n *names) add(name string) bool {
	switch {
	case n.many != nil:
	case slices.Contains(n.few, name):
		return false
	case len(n.few) < fewNames:
		n.few = append(n.few, name)
		return true
	default:
		n.many = map[string]bool{}
		for _, name := range n.few {
			n.many[name] = true
		}
	}
	known := n.many[name]
	n.many[name] = true
	return !known
}

// merge adds the keys of a merge key (<<) that the mapping lacks.
func (d *Decoder) merge(fields []field, known *names, from *yaml.Node, depth int) ([]field, error) {
	value, err := d.Value(from, depth)
	if err != nil {
		return nil, err
	}
	sources, isList := value.([]any)
	if !isList {
		sources = []any{value}
	}
	for _, source := range sources {
		more, ok := source.(map[string]any)
		if !ok {
			return nil, d.Errorf(from, "merge key << needs a mapping or a list of mappings")
		}
		for _, key := range slices.Sorted(maps.Keys(more)) {
			if known.add(key) {
				fields = append(fields, field{key, d.Sharing.of(more[key])})
			}
		}
	}
	return fields, nil
}
