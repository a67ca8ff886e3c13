package render

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/utils"
)

// replacements notes what is replaced in a kustomization, by itself or by a file that it names.
//
// Replacements can make what they change twice as large: those that copy a mapping or a list, and those that put a text
// into a part of what it came from.
func (v *vetter) replacements(r *root, field types.ReplacementField) error {
	all := []types.Replacement{field.Replacement}
	if field.Path != "" {
		name := path.Join(r.dir, field.Path)
		data, err := v.memory.ReadFile("/" + name)
		if err != nil {
			return r.errorf(field.Path, "%q is not in memory: %v", field.Path, err)
		}
		if all, err = v.file(name).replacements(data); err != nil {
			return err
		}
	}
	for _, replacement := range all {
		v.part(replacement)
	}
	r.replacing = append(r.replacing, all...)
	return nil
}

// replacements decodes a file of one or of several.
func (f file) replacements(data []byte) ([]types.Replacement, error) {
	data, err := f.normalize(data)
	if err != nil {
		return nil, err
	}
	var all []types.Replacement
	for _, d := range split(data) {
		node, err := f.parse(d)
		if err != nil || node == nil {
			return all, err
		}
		value, err := (&decoder{file: f, offset: d.line - 1}).value(node, 0)
		if err != nil {
			return nil, err
		}
		items, list := value.([]any)
		if !list {
			items = []any{value}
		}
		for _, item := range items {
			var one types.Replacement
			text, err := json.Marshal(item)
			if err == nil {
				err = json.Unmarshal(text, &one)
			}
			if err != nil {
				return nil, f.errorf(d.line, "is not a replacement: %s", tidy(err))
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// doublings is how often the replacements of r can make something twice as large.
func (v *vetter) doublings(r *root) int {
	n := 0
	for _, replacement := range r.replacing {
		source := replacement.Source
		if source == nil || !v.composite(*source) && !v.returns(*source) {
			continue
		}
		n += targets(replacement)
	}
	return n
}

// targets is how many fields are replaced, in each object that is selected.
func targets(replacement types.Replacement) int {
	n := 0
	for _, target := range replacement.Targets {
		if target != nil {
			n += max(1, len(target.FieldPaths))
		}
	}
	return n
}

// composite says whether the source of a replacement can be a mapping or a list.
func (v *vetter) composite(source types.SourceSelector) bool {
	if source.FieldPath == "" {
		return false // the name
	}
	steps := utils.SmarterPathSplitter(source.FieldPath, ".")
	if len(steps) == 1 {
		return true // data, spec, metadata
	}
	for _, objects := range v.files {
		for _, o := range objects {
			if (source.Kind == "" || source.Kind == o.Manifest.GetKind()) && reaches(o.Manifest.Object, steps) {
				return true
			}
		}
	}
	return false
}

// reaches says whether a path leads to a mapping or a list. A step that is not the key of a mapping can be any item.
func reaches(value any, steps []string) bool {
	var items []any
	switch value := value.(type) {
	case map[string]any:
		if len(steps) > 0 && steps[0] != "*" {
			return reaches(value[steps[0]], steps[1:])
		}
		items = slices.Collect(maps.Values(value))
	case []any:
		items = value
	default:
		return false
	}
	return len(steps) == 0 || slices.ContainsFunc(items, func(item any) bool { return reaches(item, steps[1:]) })
}

// returns says whether what a source is can have been changed, in a part of it, by a replacement.
func (v *vetter) returns(source types.SourceSelector) bool {
	return len(v.parted) > 0 && (source.Kind == "" || v.parted[""] || v.parted[source.Kind])
}

// part notes the kinds of objects of which replacements change parts of a text; "" is any.
func (v *vetter) part(replacement types.Replacement) {
	for _, target := range replacement.Targets {
		switch {
		case target == nil || target.Options == nil || target.Options.Delimiter == "":
		case target.Select == nil || !word.MatchString(target.Select.Kind): // a regular expression
			v.parted[""] = true
		default:
			v.parted[target.Select.Kind] = true
		}
	}
}

var word = regexp.MustCompile("^[A-Za-z0-9]+$")
