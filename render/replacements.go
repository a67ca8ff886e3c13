package render

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/utils"

	"github.com/accord-dev/accord/render/decode"
)

// replacements records the replacements of one field, which is inline or names a file.
//
// A replacement can double the size of its target if it copies a mapping or a list, or if it writes text into a part of
// the value that the text came from.
func (v *vetter) replacements(r *root, field types.ReplacementField) error {
	all := []types.Replacement{field.Replacement}
	if field.Path != "" {
		name := path.Join(r.Dir, field.Path)
		data, err := v.memory.ReadFile("/" + name)
		if err != nil {
			return r.errorf(field.Path, "%q is not in memory: %v", field.Path, err)
		}
		if all, err = readReplacements(v.file(name), data); err != nil {
			return err
		}
	}
	for _, replacement := range all {
		v.recordParts(replacement)
	}
	r.Replacements = append(r.Replacements, all...)
	return nil
}

// readReplacements decodes a file with one replacement or a list.
func readReplacements(f decode.File, data []byte) ([]types.Replacement, error) {
	data, err := f.Normalize(data)
	if err != nil {
		return nil, err
	}
	var all []types.Replacement
	err = f.EachValue(data, true, func(line int, value any, _ *decode.Decoder) error {
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
				return f.Errorf(line, "is not a replacement: %s", oneLine(err))
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// doublings returns how often the replacements of r can double the size of a value.
func (v *vetter) doublings(r *root) int {
	n := 0
	for _, replacement := range r.Replacements {
		source := replacement.Source
		if source == nil || !v.composite(*source) && !v.partlyReplaced(*source) {
			continue
		}
		n += targets(replacement)
	}
	return n
}

// targets returns how many fields of each selected object a replacement changes.
func targets(replacement types.Replacement) int {
	n := 0
	for _, target := range replacement.Targets {
		if target != nil {
			n += max(1, len(target.FieldPaths))
		}
	}
	return n
}

// composite reports whether the source of a replacement can be a mapping or a list.
func (v *vetter) composite(source types.SourceSelector) bool {
	if source.FieldPath == "" {
		return false // defaults to metadata.name
	}
	steps := utils.SmarterPathSplitter(source.FieldPath, ".")
	if len(steps) == 1 {
		return true // data, spec, metadata
	}
	for _, objects := range v.files {
		for _, o := range objects {
			if (source.Kind == "" || source.Kind == o.Manifest.Get().GetKind()) && reaches(o.Manifest.Get().Object, steps) {
				return true
			}
		}
	}
	return false
}

// reaches reports whether a path leads to a mapping or a list. A step that is not the key of a mapping matches any
// item.
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

// partlyReplaced reports whether a replacement may have changed a part of the source.
func (v *vetter) partlyReplaced(source types.SourceSelector) bool {
	return len(v.partKinds) > 0 && (source.Kind == "" || v.partKinds[""] || v.partKinds[source.Kind])
}

// recordParts records the kinds in which a replacement changes parts of a string; "" is any kind.
func (v *vetter) recordParts(replacement types.Replacement) {
	for _, target := range replacement.Targets {
		switch {
		case target == nil || target.Options == nil || target.Options.Delimiter == "":
		case target.Select == nil || !plainKind.MatchString(target.Select.Kind): // a regular expression
			v.partKinds[""] = true
		default:
			v.partKinds[target.Select.Kind] = true
		}
	}
}

var plainKind = regexp.MustCompile("^[A-Za-z0-9]+$")
