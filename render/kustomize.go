package render

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/mistake"
	"github.com/accord-dev/accord/render/partition"
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
	if objects, used, err, done := b.kustomizeSome(asked, dirs, true); done {
		return objects, used, err
	}
	objects, used, err, _ := b.kustomizeSome(asked, dirs, false)
	return objects, used, err
}

// kustomizeSome builds the directories. With reuse, it builds those again that looked for a file that changed; it returns false if
// that is not enough.
func (b builder) kustomizeSome(asked string, dirs []string, reuse bool) (objects []Object, used map[string]bool, err error, done bool) {
	twice := overlap{first: map[manifest.ID]string{}}
	v := &vetter{builder: b, memory: filesys.MakeFsInMemory(), roots: map[string]*root{}, files: map[string][]Object{}, data: map[string][]byte{}, located: map[string]*sourceFile{}, used: map[string]bool{}, weights: map[*root]weight{}, partKinds: map[string]bool{}}
	var errs []error
	reused, bases := map[string]*vetted{}, map[string]bool{}
	for _, dir := range dirs {
		if found := b.untouched(dir); reuse && found != nil {
			maps.Copy(reused, found)
			continue
		}
		_, err := v.root(dir, nil)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err, !reuse || len(reused) == 0
	}
	replaces := false
	for dir, k := range reused {
		if v.roots[dir] != nil {
			continue
		}
		replaces = replaces || k.replaces
		for _, name := range k.used {
			v.used[name] = true
		}
		for _, base := range k.uses {
			bases[base] = true
		}
		v.current.vetted[dir] = k
	}
	for _, r := range v.roots {
		replaces = replaces || len(r.Replacements) > 0
		for _, base := range r.uses {
			bases[base.Dir] = true
		}
	}
	// The weight of a replacement depends on all files. A directory that was a base was not built.
	if len(reused) > 0 && len(v.roots) > 0 && replaces || slices.ContainsFunc(dirs, func(dir string) bool {
		return v.roots[dir] == nil && !reused[dir].component && !bases[dir] && b.previous.built[dir] == nil
	}) {
		return nil, nil, nil, false
	}
	v.record()
	for _, dir := range dirs {
		r := v.roots[dir]
		switch {
		case r == nil && reused[dir].component, bases[dir], r != nil && r.isComponent() && dir != asked:
			continue
		case r == nil:
			v.current.built[dir] = b.previous.built[dir]
		case r.isComponent():
			errs = append(errs, r.errorf("", "is a Component; build a kustomization that uses it"))
			continue
		default:
			if _, err := v.weigh(r); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		found, err := v.objectsIn(dir)
		if err == nil {
			err = v.budget.add(dir, len(found), v.current.built[dir].size())
		}
		objects, errs = append(objects, twice.add(dir, found)...), append(errs, err)
	}
	return objects, v.used, errors.Join(append(errs, twice.errors(b)...)...), true
}

// objectsIn returns the objects of a directory, which it builds if the directory is not reused.
func (v *vetter) objectsIn(dir string) ([]Object, error) {
	if v.roots[dir] == nil {
		return slices.Clone(v.current.built[dir].objects), nil
	}
	return v.run(dir)
}

func (r *root) isComponent() bool { return r.kustomization.Kind == types.ComponentKind }

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
	k := &cachedBuild{closure: closure}
	kustomized, err := v.objectsOf(r, k)
	if err != nil {
		return nil, err
	}
	objects, err := v.finish(r, kustomized)
	if err != nil {
		return objects, err
	}
	k.objects = slices.Clone(objects)
	v.current.built[dir] = k
	return objects, nil
}

// objectsOf builds a kustomization in parts if possible, else as a whole.
func (v *vetter) objectsOf(r *root, k *cachedBuild) (objects []kustomized, err error) {
	run := func(files filesys.FileSystem, dir string) ([]partition.ID, []kustomized, error) {
		built, err := krustyRun(files, path.Join("/", dir), v.weights[r].schemas > 0)
		if err != nil {
			return nil, nil, errors.New(oneLine(err))
		}
		ids, objects := r.objects(built)
		return ids, objects, nil
	}
	reason := "it is small"
	if v.weights[r].objects > v.sizes.Least {
		b := partition.Builder[kustomized]{Tree: partition.Tree{Memory: v.memory, Data: v.data, Objects: v.manifests}, Sizes: v.sizes, Run: run, Share: v.shareBuilt}
		var known map[partition.Key]*partition.Result[kustomized]
		if before := v.previous.built[r.Dir]; before != nil {
			known = before.parts
		}
		objects, k.parts, err = b.Build(&r.Kustomization, known)
		unsplittable, is := errors.AsType[*partition.Unsplittable](err)
		if err == nil {
			return objects, nil
		} else if !is {
			return nil, r.errorf("", "kustomize: %v", err)
		}
		reason = unsplittable.Error()
	}
	if v.weights[r].objects > partition.MaxObjects {
		return nil, r.errorf("", "has more than %d objects and kustomizations to build, counting a base as often as it is used, and cannot be built in parts: %s; split it", partition.MaxObjects, mistake.Clip(reason))
	}
	_, objects, err = run(v.memory, r.Dir)
	if err != nil {
		return nil, r.errorf("", "kustomize: %v", err)
	}
	v.shareBuilt(objects)
	return objects, nil
}

// manifests returns the objects of a resource file.
func (v *vetter) manifests(file string) []partition.Manifest {
	var found []partition.Manifest
	for _, o := range v.files[file] {
		found = append(found, partition.Manifest{Unstructured: o.Manifest.Get(), Line: o.Origin.Line})
	}
	return found
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

// kustomized is an object that kustomize built.
type kustomized struct {
	Object       // without the line and the text of its origin
	err    error // of a resource that is not an object
	valid  *bool // reports whether the object passed its checks
}

// objects converts the resources of kustomize.
func (r *root) objects(built resmap.ResMap) (ids []partition.ID, objects []kustomized) {
	keepOrigin := slices.Contains(r.kustomization.BuildMetadata, types.OriginAnnotations)
	ids, objects = make([]partition.ID, 0, built.Size()), make([]kustomized, 0, built.Size())
	for _, res := range built.Resources() {
		o, err := r.object(res, keepOrigin)
		ids, objects = append(ids, partition.IDOf(res.CurId())), append(objects, kustomized{Object: o, err: err, valid: new(bool)})
	}
	return ids, objects
}

// shareBuilt brings new objects into the form of the build.
func (b builder) shareBuilt(objects []kustomized) {
	for i := range objects {
		if o := &objects[i]; o.err == nil {
			u := o.Manifest.Get()
			if b.form.texts != nil {
				o.Manifest, o.Digest = pack(u, b.form.texts)
			} else {
				b.form.parts.Share(u.Object)
			}
		}
	}
}

// object converts a resource of kustomize, with the origin that kustomize recorded.
func (r *root) object(res *resource.Resource, keepOrigin bool) (Object, error) {
	value, err := (&decode.Decoder{File: r.File}).Value(res.YNode(), 0)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return Object{}, r.errorf("", "kustomize built a value that is not an object: %v", err)
	}
	u := &unstructured.Unstructured{Object: fields}
	from, err := res.GetOrigin()
	if !keepOrigin {
		dropAnnotations(u, originAnnotation)
	}
	o := Object{manifest.Whole(u), &Written{Origin: r.Origin, Digest: Digest(u), id: idOf(u)}}
	if err == nil && from != nil {
		o.Origin.Path = path.Join(r.Dir, from.Path)
		if from.ConfiguredIn != "" {
			o.Origin.Path = path.Join(r.Dir, from.ConfiguredIn)
		}
	}
	return o, nil
}

// finish locates the objects in their files, and checks them.
func (v *vetter) finish(r *root, built []kustomized) ([]Object, error) {
	objects := make([]Object, 0, len(built))
	wrong := mistake.List{Limit: mistake.MaxFileErrors}
	for _, k := range built {
		o, err := k.Object, k.err
		if err == nil {
			v.locate(&o)
		}
		if err == nil && !*k.valid {
			err = checkObject(&decode.Decoder{File: decode.File{Origin: o.Origin}}, &yaml.Node{}, o.Manifest.Get().Object)
			*k.valid = err == nil
		}
		if err == nil {
			objects = append(objects, o)
		} else if !wrong.Add(err) {
			break
		}
	}
	return objects, wrong.Join(r.errorf("", "builds at least %d invalid objects", mistake.MaxFileErrors))
}

// locate finds the document that o was built from. It sets the text only if kustomize changed nothing.
func (v *vetter) locate(o *Object) {
	from := v.located[o.Origin.Path]
	if from == nil {
		from = newSourceFile(v.files[o.Origin.Path])
		v.located[o.Origin.Path] = from
	}
	written := *o.Written
	if candidate, same := from.byDigest[o.Digest]; same {
		written.Origin.Line, written.Text = candidate.Origin.Line, candidate.Text
	} else {
		written.Origin.Line = from.similar(o)
	}
	o.Written = &written // the cache has the other one
}

// sourceFile finds the objects of a resource file.
type sourceFile struct {
	byDigest map[string]*Object // the first with each digest
	byName   map[schema.GroupVersionKind]map[string]*Object
	lengths  map[schema.GroupVersionKind][]int // of the names, longest first
}

func newSourceFile(objects []Object) *sourceFile {
	f := &sourceFile{byDigest: map[string]*Object{}, byName: map[schema.GroupVersionKind]map[string]*Object{}, lengths: map[schema.GroupVersionKind][]int{}}
	for n := range objects {
		o := &objects[n]
		if f.byDigest[o.Digest] == nil {
			f.byDigest[o.Digest] = o
		}
		gvk, name := o.Manifest.Get().GroupVersionKind(), o.Manifest.Get().GetName()
		if f.byName[gvk] == nil {
			f.byName[gvk] = map[string]*Object{}
		}
		if f.byName[gvk][name] == nil {
			f.byName[gvk][name] = o
			f.lengths[gvk] = append(f.lengths[gvk], len(name))
		}
	}
	for gvk, lengths := range f.lengths {
		slices.Sort(lengths)
		f.lengths[gvk] = slices.Compact(lengths)
		slices.Reverse(f.lengths[gvk])
	}
	return f
}

// similar returns the line of the object with the longest name that is a part of the name of o; 0 if there is none. Prefixes and
// suffixes only lengthen names.
func (f *sourceFile) similar(o *Object) int {
	gvk, name := o.Manifest.Get().GroupVersionKind(), o.Manifest.Get().GetName()
	for _, length := range f.lengths[gvk] {
		var best *Object
		for from := 0; from+length <= len(name); from++ {
			found := f.byName[gvk][name[from:from+length]]
			if found != nil && (best == nil || found.Origin.Line < best.Origin.Line) {
				best = found
			}
		}
		if best != nil {
			return best.Origin.Line
		}
	}
	return 0
}
