package render

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/accord-dev/accord/api/manifest"
)

// originAnnotation is set by kustomize to the origin of a resource.
const originAnnotation = "config.kubernetes.io/origin"

// Kustomize keeps the OpenAPI schema in global variables. Builds with the built-in schema only read them and run at the same time. A
// build with the field openapi changes them: it runs alone, and restores them.
var (
	schemaMu      schemaLock
	builtinSchema = sync.OnceFunc(func() { openapi.Schema() }) // parses it
)

// kustomize builds the directories except those that another of them uses. It also returns the files that the
// kustomizations read, which are not manifests of their own, and an error for directories that build the same object.
// asked is the directory in Options.
func (b builder) kustomize(asked string, dirs []string) ([]Object, map[string]bool, error) {
	if len(dirs) == 0 {
		return nil, nil, nil
	}
	twice := overlap{first: map[manifest.ID]string{}}
	v := &vetter{builder: b, memory: filesys.MakeFsInMemory(), roots: map[string]*root{}, files: map[string][]Object{}, used: map[string]bool{}, weights: map[*root]weight{}, partKinds: map[string]bool{}}
	var errs []error
	for _, dir := range dirs {
		_, err := v.root(dir, nil)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	var objects []Object
	for _, dir := range dirs {
		r := v.roots[dir]
		switch {
		case r.kustomization.Kind == types.ComponentKind && dir == asked:
			errs = append(errs, r.errorf("", "is a Component; build a kustomization that uses it"))
			continue
		case r.kustomization.Kind == types.ComponentKind || r.isBase:
			continue
		}
		if _, err := v.weigh(r); err != nil {
			errs = append(errs, err)
			continue
		}
		found, err := v.run(dir)
		if err == nil {
			err = v.budget.add(dir, len(found), v.current.built[dir].size())
		}
		objects, errs = append(objects, twice.add(dir, found)...), append(errs, err)
	}
	return objects, v.used, errors.Join(append(errs, twice.errors(b)...)...)
}

// run builds one vetted directory.
func (v *vetter) run(dir string) ([]Object, error) {
	r := v.roots[dir]
	closure, err := v.closure(r)
	if err != nil {
		return nil, err
	}
	if objects, known := v.cached(r, closure); known {
		return objects, nil
	}
	keepOrigin := slices.Contains(r.kustomization.BuildMetadata, types.OriginAnnotations)
	built, err := krustyRun(v.memory, path.Join("/", dir), v.weights[r].schemas > 0)
	if err != nil {
		return nil, r.errorf("", "kustomize: %s", oneLine(err))
	}
	objects := make([]Object, 0, built.Size())
	wrong := errorList{limit: MaxFileErrors}
	for _, res := range built.Resources() {
		o, err := v.object(r, res, keepOrigin)
		if err == nil {
			objects = append(objects, o)
		} else if !wrong.add(err) {
			break
		}
	}
	if err := wrong.join(r.errorf("", "builds at least %d invalid objects", MaxFileErrors)); err != nil {
		return objects, err
	}
	v.share(objects)
	v.current.built[dir] = &cachedBuild{closure: closure, objects: slices.Clone(objects)}
	return objects, nil
}

// krustyRun runs kustomize, alone for a build that sets the schema, and turns a panic into an error.
func krustyRun(memory filesys.FileSystem, dir string, setsSchema bool) (built resmap.ResMap, err error) {
	builtinSchema()
	if setsSchema {
		schemaMu.lockAlone()
		defer func() {
			openapi.ResetOpenAPI()
			openapi.Schema()
			schemaMu.unlockAlone()
		}()
	} else {
		schemaMu.lock()
		defer schemaMu.unlock()
	}
	defer func() {
		if r := recover(); r != nil {
			built, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	options := krusty.MakeDefaultOptions() // no plugins
	options.LoadRestrictions = types.LoadRestrictionsNone
	return krusty.MakeKustomizer(options).Run(memory, dir)
}

// quotedContent matches the parts of kustomize errors that quote configuration, patches, literals and lines, which may
// be secret.
var quotedContent = regexp.MustCompile("(?s)(with config: )`.*?`|(patch from )\\[.*\\]|(literal sources? ).*|line \\[[0-9 ]*\\] has invalid utf8 bytes.*")

// oneLine returns a kustomize error as one line without quoted content.
func oneLine(err error) string {
	return strings.Join(strings.Fields(quotedContent.ReplaceAllString(err.Error(), "${1}${2}${3}(left out)")), " ")
}

// object converts a resource of kustomize, with the origin that kustomize recorded.
func (v *vetter) object(r *root, res *resource.Resource, keepOrigin bool) (Object, error) {
	value, err := (&decoder{file: r.file}).value(res.YNode(), 0)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return Object{}, r.errorf("", "kustomize built a value that is not an object: %v", err)
	}
	u := &unstructured.Unstructured{Object: fields}
	from, err := res.GetOrigin()
	if !keepOrigin {
		dropAnnotations(u, originAnnotation)
	}
	o := Object{Manifest: u, Origin: r.origin, Digest: Digest(u), id: manifest.IDOf(u)}
	if err == nil && from != nil {
		o.Origin.Path = path.Join(r.dir, from.Path)
		if from.ConfiguredIn != "" {
			o.Origin.Path = path.Join(r.dir, from.ConfiguredIn)
		}
	}
	v.locate(&o)
	if err := (&decoder{file: file{o.Origin}}).check(&yaml.Node{}, fields); err != nil {
		return Object{}, err
	}
	return o, nil
}

// locate finds the document that o was built from. It sets the text only if kustomize changed nothing.
func (v *vetter) locate(o *Object) {
	var similar []Object
	for _, candidate := range v.files[o.Origin.Path] {
		if candidate.Digest == o.Digest {
			o.Origin.Line, o.Text = candidate.Origin.Line, candidate.Text
			return
		}
		if candidate.Manifest.GroupVersionKind() == o.Manifest.GroupVersionKind() &&
			strings.Contains(o.Manifest.GetName(), candidate.Manifest.GetName()) {
			similar = append(similar, candidate)
		}
	}
	if len(similar) > 0 { // prefixes and suffixes only lengthen names, so the longest matching name is the source
		best := slices.MaxFunc(similar, func(a, b Object) int { return len(a.Manifest.GetName()) - len(b.Manifest.GetName()) })
		o.Origin.Line = best.Origin.Line
	}
}
