package render

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/partition"
)

// vetter checks kustomizations before kustomize reads them. Kustomize downloads files and runs git regardless of its
// file system. So vetter resolves every reference and rejects all but files and directories of the tree. It rewrites
// references to begin with "./" or "../", which kustomize never takes for a URL, and copies the files into memory.
// Kustomize sees only these files.
type vetter struct {
	builder
	memory  filesys.FileSystem
	roots   map[string]*root    // by directory
	files   map[string][]Object // of resource files, by path
	used    map[string]bool     // files that kustomizations read
	data    map[string][]byte   // content of all files in memory
	located map[string]*sourceFile
	weights map[*root]weight
	// partKinds are the kinds of objects in which replacements change parts of a string.
	partKinds map[string]bool
}

// root is one directory with a kustomization.
type root struct {
	partition.Kustomization
	node           *yaml.Node // the kustomization, for lines in errors
	offset         int
	kustomization  types.Kustomization
	lookups        map[string]bool // the names that it looked for in the tree, whether they exist or not
	resources      []Object        // of its own resource files
	files          map[string]bool // vetted for this kustomization
	uses           []*root         // the directories that it references
	size           int             // bytes of its files and patches
	bytesPerObject int             // bytes that its patches can add to each object
	copies         int             // copy operations in its patches
}

// errorf returns an error at the line of the kustomization that contains the text, or at its first line.
func (r *root) errorf(text, format string, args ...any) error {
	line := 0
	if n := findScalar(r.node, text); n != nil {
		line = n.Line + r.offset
	}
	return r.File.Errorf(line, format, args...)
}

// findScalar returns the first scalar below n that equals the text, else the first that contains it, else n.
func findScalar(n *yaml.Node, text string) *yaml.Node {
	if n == nil || text == "" {
		return n
	}
	if found := search(n, func(value string) bool { return value == text }); found != nil {
		return found
	}
	return cmp.Or(search(n, func(value string) bool { return strings.Contains(value, text) }), n)
}

func search(n *yaml.Node, matches func(string) bool) *yaml.Node {
	if n.Kind == yaml.ScalarNode && matches(n.Value) {
		return n
	}
	for _, child := range n.Content {
		if found := search(child, matches); found != nil {
			return found
		}
	}
	return nil
}

// kustomizations returns the paths of the kustomizations in a directory. More than one is an error.
func (b builder) kustomizations(dir string) []string {
	var names []string
	for _, base := range konfig.RecognizedKustomizationFileNames() {
		if info, err := fs.Stat(b.fsys, path.Join(dir, base)); err == nil && info.Mode().IsRegular() {
			names = append(names, path.Join(dir, base))
		}
	}
	return names
}

// root vets the kustomization of dir, which must exist, and all its references. stack holds the directories that lead
// to it.
func (v *vetter) root(dir string, stack []string) (*root, error) {
	if r, done := v.roots[dir]; done {
		return r, nil
	}
	outside, looked := v.fsys, newLookups(v.fsys)
	v.fsys = looked
	defer func() { v.fsys = outside }()
	names := v.kustomizations(dir)
	r := &root{Kustomization: partition.Kustomization{File: v.file(names[0]), Dir: dir}, files: map[string]bool{}, lookups: looked.names}
	v.roots[dir] = r
	if len(names) > 1 {
		return nil, r.errorf("", "is one of several kustomizations of the directory: %s", strings.Join(names, ", "))
	}
	if err := v.load(r); err != nil {
		return nil, err
	}
	if err := v.references(r, append(slices.Clone(stack), dir)); err != nil {
		return nil, err
	}
	k := r.kustomization
	if !slices.Contains(k.BuildMetadata, types.OriginAnnotations) {
		k.BuildMetadata = append(slices.Clone(k.BuildMetadata), types.OriginAnnotations)
	}
	text, err := json.Marshal(k)
	if err != nil {
		return nil, r.errorf("", "cannot be written for kustomize: %v", err)
	}
	r.Written = k
	return r, v.put(r, path.Join(dir, konfig.DefaultKustomizationFileName()), text)
}

// put makes a vetted file visible to kustomize.
func (v *vetter) put(r *root, name string, data []byte) error {
	if !r.files[name] {
		r.files[name], r.size = true, r.size+len(data)
	}
	v.data[name] = data
	if err := v.memory.WriteFile("/"+name, data); err != nil {
		return v.file(name).Errorf(0, "cannot be kept in memory: %v", err)
	}
	return nil
}

// load decodes the kustomization strictly.
func (v *vetter) load(r *root) error {
	data, err := r.Read(v.fsys)
	if err != nil {
		return err
	}
	if data, err = r.Normalize(data); err != nil {
		return err
	}
	documents := decode.Split(data)
	if len(documents) != 1 {
		return r.File.Errorf(0, "has %d documents, expected one kustomization", len(documents))
	}
	r.offset = documents[0].Line - 1
	if r.node, err = r.Parse(documents[0]); err != nil {
		return err
	}
	if r.node == nil {
		return r.File.Errorf(1, "is empty")
	}
	value, err := (&decode.Decoder{File: r.File, Offset: r.offset}).Value(r.node, 0)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return r.errorf("", "is not a kustomization: %v", err)
	}
	if err := r.kustomization.Unmarshal(text); err != nil {
		message := strings.TrimPrefix(oneLine(err), "invalid Kustomization: json: ")
		return r.errorf(unknownField(message), "is not a valid kustomization: %s", message)
	}
	r.kustomization.FixKustomization()
	return nil
}

// unknownField returns the first quoted text of a JSON decoding error, which is the field.
func unknownField(message string) string {
	_, rest, _ := strings.Cut(message, `"`)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}

// references vets and rewrites every field of the kustomization that references a file or directory.
func (v *vetter) references(r *root, stack []string) error {
	k := &r.kustomization
	if len(k.HelmCharts) > 0 {
		return r.errorf("helmCharts", "has Helm charts, which accord does not run; commit the rendered chart")
	}
	files := func(ref string) (string, error) { return v.fileRef(r, ref) }
	errs := []error{
		rewrite(k.Resources, func(ref string) (string, error) { return v.resource(r, ref, stack) }),
		rewrite(k.Components, func(ref string) (string, error) {
			written, err := v.directory(r, ref, stack)
			if err == nil {
				r.Components = append(r.Components, &r.uses[len(r.uses)-1].Kustomization)
			}
			return written, err
		}),
		rewrite(k.Crds, files),
		rewrite(k.Configurations, files),
		rewrite(k.PatchesStrategicMerge, func(p types.PatchStrategicMerge) (types.PatchStrategicMerge, error) {
			text, err := v.inlineOrFile(r, string(p))
			return types.PatchStrategicMerge(text), err
		}),
		rewrite(k.Patches, func(p types.Patch) (types.Patch, error) { return v.patch(r, p) }),
		rewrite(k.PatchesJson6902, func(p types.Patch) (types.Patch, error) { return v.patch(r, p) }),
		rewrite(k.Replacements, func(f types.ReplacementField) (_ types.ReplacementField, err error) {
			if f.Path, err = v.optionalFile(r, f.Path); err != nil {
				return f, err
			}
			return f, v.replacements(r, f)
		}),
	}
	errs = append(errs, duplicates(r.resources)) // the error of kustomize would name neither place
	for i := range k.ConfigMapGenerator {
		errs = append(errs, v.sources(r, &k.ConfigMapGenerator[i].KvPairSources))
	}
	for i := range k.SecretGenerator {
		errs = append(errs, v.sources(r, &k.SecretGenerator[i].KvPairSources))
	}
	for _, plugins := range [][]string{k.Generators, k.Transformers, k.Validators} {
		errs = append(errs, rewrite(plugins, func(entry string) (string, error) { return v.plugin(r, entry) }))
	}
	if schema, has := k.OpenAPI["path"]; has {
		var err error
		k.OpenAPI["path"], err = v.fileRef(r, schema)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// rewrite replaces every item of a list.
func rewrite[T any](list []T, by func(T) (T, error)) error {
	var errs []error
	for i := range list {
		var err error
		list[i], err = by(list[i])
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
