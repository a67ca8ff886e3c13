package render

import (
	"encoding/json"
	"errors"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/accord-dev/accord/render/decode"
)

// inlineOrFile vets an entry that is inline YAML or the path of a YAML file.
func (v *vetter) inlineOrFile(r *root, entry string) (string, error) {
	if values, err := v.inline(r, entry); err != nil || values != nil {
		return jsonStream(values), err
	}
	return v.fileRef(r, entry)
}

// inline decodes the mappings of an inline entry. It returns none if the entry is a path.
func (v *vetter) inline(r *root, entry string) ([]map[string]any, error) {
	if strings.HasPrefix(strings.TrimSpace(entry), "- ") || !strings.ContainsAny(entry, "\n{") {
		return nil, nil
	}
	f := r.File
	if n := findScalar(r.node, entry); n != nil {
		f.Origin = r.At(n.Line + r.offset)
	}
	return mappings(f, []byte(entry), false)
}

// mappings decodes a stream of mappings. With lines, the stream is a whole file and errors have its lines.
func mappings(f decode.File, data []byte, lines bool) ([]map[string]any, error) {
	var found []map[string]any
	err := f.EachValue(data, lines, func(line int, value any, _ *decode.Decoder) error {
		fields, ok := value.(map[string]any)
		if !ok {
			return f.Errorf(line, "expected a mapping")
		}
		found = append(found, fields)
		return nil
	})
	return found, err
}

// jsonStream encodes the values as JSON documents, so that kustomize reads exactly the values that were vetted.
func jsonStream(values []map[string]any) string {
	var b strings.Builder
	for _, value := range values {
		text, err := json.Marshal(value)
		if err != nil { // impossible: the values were decoded from YAML into types of JSON
			text = []byte("{}")
		}
		b.WriteString("---\n")
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}

// plugin vets an entry of generators, transformers or validators, inline or in a file, and returns it inline. Only
// plugins that are built into kustomize are allowed; functions, containers and commands are not.
func (v *vetter) plugin(r *root, entry string) (string, error) {
	values, err := v.inline(r, entry)
	if err != nil {
		return "", err
	}
	if values == nil {
		name, _, data, err := v.fetch(r, entry)
		if err != nil {
			return "", err
		}
		if values, err = mappings(v.file(name), data, true); err != nil {
			return "", err
		}
	}
	var errs []error
	for _, fields := range values {
		errs = append(errs, v.builtin(r, entry, fields))
	}
	return jsonStream(values), errors.Join(errs...)
}

// builtin vets the configuration of one plugin. It compares keys as kustomize decodes them, ignoring case.
func (v *vetter) builtin(r *root, entry string, fields map[string]any) error {
	kind, _ := fields["kind"].(string)
	if fields["apiVersion"] != "builtin" || kind == "HelmChartInflationGenerator" {
		return r.errorf(entry, "configures %v %s, which is not built into kustomize or runs a program; accord runs neither plugins nor functions", fields["apiVersion"], kind)
	}
	var errs []error
	for key, value := range fields {
		switch strings.ToLower(key) {
		case "patch", "jsonop":
			text, _ := value.(string)
			r.bytesPerObject += len(text)
			errs = append(errs, r.countCopies(r.File, []byte(text), false))
		case "path", "env":
			errs = append(errs, v.pluginFiles(r, fields, key, []any{value}, false))
		case "paths", "envs", "files":
			list, _ := value.([]any)
			errs = append(errs, v.pluginFiles(r, fields, key, list, true))
		case "replacements":
			list, _ := value.([]any)
			for _, item := range list {
				replacement, _ := item.(map[string]any)
				errs = append(errs, v.replacement(r, entry, item))
				for key, value := range replacement {
					if strings.EqualFold(key, "path") {
						errs = append(errs, v.pluginFiles(r, replacement, key, []any{value}, false))
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// replacement records one replacement in the configuration of a plugin.
func (v *vetter) replacement(r *root, entry string, item any) error {
	var field types.ReplacementField
	text, err := json.Marshal(item)
	if err == nil {
		err = json.Unmarshal(text, &field)
	}
	if err == nil && field.Path != "" { // limits could not be checked for replacements in that file
		return r.errorf(entry, "references a file of replacements, %q; reference it in replacements of the kustomization", field.Path)
	}
	if err == nil {
		return v.replacements(r, field)
	}
	return r.errorf(entry, "has an invalid replacement: %s", oneLine(err))
}

// pluginFiles vets and rewrites the files in one field of a configuration.
func (v *vetter) pluginFiles(r *root, fields map[string]any, field string, refs []any, isList bool) error {
	vetted := make([]any, len(refs))
	for i, item := range refs {
		ref, _ := item.(string)
		key, name, keyed := strings.Cut(ref, "=")
		if !keyed || !strings.EqualFold(field, "files") {
			key, name = "", ref
		}
		_, written, data, err := v.fetch(r, name)
		if err != nil {
			return err
		}
		if strings.EqualFold(field, "path") {
			r.bytesPerObject += len(data)
			if err := r.countCopies(v.file(path.Join(r.Dir, written)), data, true); err != nil {
				return err
			}
		}
		if key != "" {
			written = key + "=" + written
		}
		vetted[i] = written
	}
	if isList {
		fields[field] = vetted
		return nil
	}
	fields[field] = vetted[0]
	return nil
}
