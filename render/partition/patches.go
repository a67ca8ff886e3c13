package partition

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/utils"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
)

// bookkeeping is the domain of the annotations in which kustomize keeps its state.
const bookkeeping = "config.kubernetes.io/"

// checkRoot returns an *Unsplittable for a kustomization with a field that looks at all objects at once, and collects the
// words that the kustomization can write into name references.
func (s *splitter) checkRoot(r *Kustomization, e *entries) error {
	k := &r.Written
	for _, field := range []struct {
		name string
		has  bool
	}{
		{"vars", len(k.Vars) > 0},
		{"configurations", len(k.Configurations) > 0},
		{"crds", len(k.Crds) > 0},
		{"openapi", len(k.OpenAPI) > 0},
		{"generators", len(k.Generators) > 0},
		{"transformers", len(k.Transformers) > 0},
		{"validators", len(k.Validators) > 0},
		{types.TransformerAnnotations + " in buildMetadata", slices.Contains(k.BuildMetadata, types.TransformerAnnotations)},
	} {
		if field.has {
			return whole("%s has %s", r.Origin.Path, field.name)
		}
	}
	text, err := json.Marshal([]any{k, r.Replacements})
	if err != nil || keepsBooks(string(text)) {
		return whole("%s names an annotation of kustomize", r.Origin.Path)
	}
	e.words[k.Namespace] = true
	for _, values := range []map[string]string{k.CommonAnnotations, k.CommonLabels} {
		for _, value := range values {
			e.words[value] = true
		}
	}
	for _, label := range k.Labels {
		for _, value := range label.Pairs {
			e.words[value] = true
		}
	}
	for _, image := range k.Images {
		e.words[image.NewName] = true
	}
	for _, replacement := range r.Replacements {
		if err := checkReplacement(replacement); err != nil {
			return whole("%s: %v", r.Origin.Path, err)
		}
		if replacement.SourceValue != nil {
			e.words[*replacement.SourceValue] = true
		}
	}
	return nil
}

// keepsBooks reports whether a text names an annotation in which kustomize keeps its state.
func keepsBooks(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, konfig.IgnoredByKustomizeAnnotation, ""), bookkeeping)
}

// checkReplacement returns an error for a replacement that can change an ID, or compose a name.
func checkReplacement(replacement types.Replacement) error {
	composes := false
	if source := replacement.Source; source != nil {
		steps := utils.SmarterPathSplitter(source.FieldPath, ".")
		switch {
		case source.FieldPath == "" || steps[0] != "metadata" && steps[0] != "*":
		case len(steps) > 1 && slices.Contains([]string{"name", "namespace", "labels"}, steps[1]):
		case len(steps) == 3 && steps[1] == "annotations":
		default:
			return fmt.Errorf("a replacement reads %s", source.FieldPath)
		}
		composes = source.Options != nil && source.Options.Delimiter != ""
	}
	for _, target := range replacement.Targets {
		if target == nil || len(target.FieldPaths) == 0 {
			return fmt.Errorf("a replacement writes metadata.name")
		}
		composes := composes || target.Options != nil && target.Options.Delimiter != ""
		for _, field := range target.FieldPaths {
			steps := utils.SmarterPathSplitter(field, ".")
			switch first := steps[0]; {
			case first == "kind" || first == "apiVersion" || strings.ContainsAny(first, "*["):
				return fmt.Errorf("a replacement writes %s", field)
			case first == "metadata" && (len(steps) < 3 || steps[1] != "labels" && steps[1] != "annotations"):
				return fmt.Errorf("a replacement writes %s", field)
			}
			last := steps[len(steps)-1]
			if composes && (refersByName[last] || strings.ContainsAny(last, "*[]=0123456789")) {
				return fmt.Errorf("a replacement composes %s", field)
			}
		}
	}
	return nil
}

// patches finds the objects of the patches without a target.
func (s *splitter) patches(r *Kustomization, e *entries, all *accumulation) error {
	k := &r.Written
	for n, text := range k.PatchesStrategicMerge {
		p := types.Patch{Patch: string(text)}
		if strings.HasPrefix(p.Patch, "./") || strings.HasPrefix(p.Patch, "../") {
			p = types.Patch{Path: p.Patch}
		}
		units, words, err := s.patched(r, p, all)
		if err != nil {
			return err
		}
		e.merges = grow(e.merges, n, units, words)
	}
	for n, p := range k.Patches {
		units, words, err := s.patched(r, p, all)
		switch {
		case err != nil:
			return err
		case p.Target == nil:
			e.patches = grow(e.patches, n, units, words)
		default:
			e.write(words)
		}
	}
	for _, p := range k.PatchesJson6902 {
		if p.Target == nil {
			return whole("%s has a JSON patch without a target", r.Origin.Path)
		}
		_, words, err := s.patched(r, p, all)
		if err != nil {
			return err
		}
		e.write(words)
	}
	return nil
}

func (e *entries) write(words []string) {
	for _, word := range words {
		e.words[word] = true
	}
}

// patched returns the objects of a patch without a target, and the words that a patch writes.
func (s *splitter) patched(r *Kustomization, p types.Patch, all *accumulation) (units []*unit, words []string, err error) {
	f, text := r.File, []byte(p.Patch)
	if p.Path != "" {
		name := path.Join(r.Dir, p.Path)
		f, text = decode.File{Origin: manifest.Origin{Source: r.Origin.Source, Path: name}}, s.Data[name]
	}
	if text, err = f.Normalize(text); err != nil {
		return nil, nil, whole("%v", err)
	}
	if keepsBooks(string(text)) || p.Options != nil && (p.Options.AllowKindChange || p.Options.AllowNameChange) {
		return nil, nil, whole("%s has a patch of names or of annotations of kustomize", r.Origin.Path)
	}
	read := func(_ int, value any, _ *decode.Decoder) error {
		scalars(value, func(text string) { words = append(words, text) })
		if operations, is := value.([]any); is && p.Target != nil {
			return checkOperations(operations)
		}
		fields, is := value.(map[string]any)
		if is && replacesAnnotations(fields) {
			return whole("it replaces annotations")
		}
		if !is {
			return whole("it is neither a strategic merge patch nor a JSON patch with a target")
		}
		if p.Target != nil {
			return nil
		}
		u, err := all.target(fields)
		units = append(units, u)
		return err
	}
	if err := f.EachValue(text, p.Path != "", read); err != nil {
		return nil, nil, whole("a patch of %s: %v", r.Origin.Path, err)
	}
	if p.Target == nil && len(units) == 0 {
		return nil, nil, whole("a patch of %s is empty", r.Origin.Path)
	}
	return units, words, nil
}

// target returns the object of a strategic merge patch. For a patch without an object, kustomize returns the same error
// for any part.
func (a *accumulation) target(patch map[string]any) (*unit, error) {
	apiVersion, _ := patch["apiVersion"].(string)
	kind, _ := patch["kind"].(string)
	metadata, _ := patch["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	if apiVersion == "" || kind == "" || name == "" || strings.HasSuffix(kind, "List") || len(a.items) == 0 {
		return nil, whole("it patches no object")
	}
	group, version := resid.ParseGroupVersion(apiVersion)
	found := a.matching(resid.NewResIdWithNamespace(resid.NewGvk(group, version, kind), name, namespace))
	switch len(found) {
	case 0:
		return a.items[0].unit, nil
	case 1:
		return found[0].unit, nil
	}
	return nil, whole("%s %s could be one of %d objects", kind, name, len(found))
}

// checkOperations returns an *Unsplittable for a JSON patch that can change an ID, or copies a value.
func checkOperations(operations []any) error {
	for _, item := range operations {
		operation, _ := item.(map[string]any)
		kind, _ := operation["op"].(string)
		at, is := operation["path"].(string)
		_, copies := operation["from"]
		if !is || copies || kind == "copy" || kind == "move" {
			return whole("it copies or moves a value")
		}
		steps := strings.Split(strings.TrimPrefix(at, "/"), "/")
		if at == "/metadata/annotations" || len(steps) < 2 && (steps[0] == "" || steps[0] == "metadata") || steps[0] == "kind" || steps[0] == "apiVersion" ||
			len(steps) > 1 && steps[0] == "metadata" && (steps[1] == "name" || steps[1] == "namespace") {
			return whole("it changes %s", at)
		}
	}
	return nil
}

// replacesAnnotations reports whether a strategic merge patch can remove everything that kustomize recorded in an object.
func replacesAnnotations(patch map[string]any) bool {
	metadata, is := patch["metadata"].(map[string]any)
	annotations, has := metadata["annotations"].(map[string]any)
	_, names := metadata["annotations"]
	return !is || names && !has || metadata["$patch"] != nil || annotations["$patch"] != nil || replaces(patch)
}

// replaces reports whether a strategic merge patch replaces a mapping with everything that kustomize recorded in it.
func replaces(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		if value["$patch"] == "replace" {
			return true
		}
		for _, v := range value {
			if replaces(v) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, replaces)
	}
	return false
}

// scalars visits all scalars of a value, as text.
func scalars(value any, visit func(string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			scalars(v, visit)
		}
	case []any:
		for _, v := range value {
			scalars(v, visit)
		}
	case string:
		visit(value)
	case nil:
	default:
		visit(fmt.Sprint(value))
	}
}
