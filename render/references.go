package render

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/accord-dev/accord/render/mistake"
	"github.com/accord-dev/accord/render/partition"
)

// remote matches references that kustomize or git would fetch from outside the tree.
var remote = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*://|^[a-z0-9]+::|^[a-z][a-z0-9-]*@[^/]*:|^github\.com[/:]|\?(ref|version|timeout|submodules)=`)

// resolve returns the path in the tree of a reference in the kustomization, and the reference as kustomize must read
// it.
func (v *vetter) resolve(r *root, ref string) (name, written string, err error) {
	switch {
	case ref == "":
		return "", "", r.errorf(ref, "has an empty reference")
	case remote.MatchString(ref):
		return "", "", r.errorf(ref, "%q is remote; accord reads only the tree: commit a copy and reference it", ref)
	case path.IsAbs(ref) || filepath.IsAbs(ref):
		return "", "", r.errorf(ref, "%q is an absolute path, expected one relative to the kustomization", ref)
	}
	name = path.Join(r.Dir, ref)
	if !mistake.Printable(name) {
		return "", "", r.errorf(ref, "%q has unprintable characters", ref)
	}
	if !fs.ValidPath(name) {
		return "", "", r.errorf(ref, "%q is outside the tree", ref)
	}
	written, err = filepath.Rel(filepath.FromSlash(r.Dir), filepath.FromSlash(name))
	if err != nil {
		return "", "", r.errorf(ref, "%q: %v", ref, err)
	}
	written = filepath.ToSlash(written)
	if written != ".." && !strings.HasPrefix(written, "../") {
		written = "./" + written
	}
	return name, written, nil
}

// fetch writes the referenced file into memory.
func (v *vetter) fetch(r *root, ref string) (name, written string, data []byte, err error) {
	if name, written, err = v.resolve(r, ref); err != nil {
		return "", "", nil, err
	}
	info, err := fs.Stat(v.fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", nil, r.errorf(ref, "%q does not exist: there is no %s in the tree", ref, name)
	case err != nil:
		return "", "", nil, r.errorf(ref, "%q cannot be read: %v", ref, mistake.Reason(err))
	case info.IsDir():
		return "", "", nil, r.errorf(ref, "%q is a directory, expected a file", ref)
	case slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name)):
		return "", "", nil, r.errorf(ref, "%q is a kustomization; name its directory", ref)
	}
	if data, err = v.file(name).Read(v.fsys); err != nil {
		return "", "", nil, err
	}
	v.used[name] = true
	return name, written, data, v.put(r, name, data)
}

// fileRef vets a reference to a file whose content needs no check.
func (v *vetter) fileRef(r *root, ref string) (string, error) {
	_, written, _, err := v.fetch(r, ref)
	return written, err
}

// optionalFile is fileRef for a field that may be empty.
func (v *vetter) optionalFile(r *root, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	return v.fileRef(r, ref)
}

// resource vets an entry of resources: a file of objects, or a directory with a kustomization.
func (v *vetter) resource(r *root, ref string, stack []string) (string, error) {
	name, _, err := v.resolve(r, ref)
	if err != nil {
		return "", err
	}
	if info, err := fs.Stat(v.fsys, name); err == nil && info.IsDir() {
		written, err := v.directory(r, ref, stack)
		if err == nil {
			r.Entries = append(r.Entries, partition.Entry{Dir: &r.uses[len(r.uses)-1].Kustomization})
		}
		return written, err
	}
	name, written, data, err := v.fetch(r, ref)
	if err != nil {
		return "", err
	}
	f := v.file(name)
	if data, err = f.Normalize(data); err != nil {
		return "", err
	}
	if _, read := v.files[name]; !read {
		if v.files[name], err = v.objects(name, data); err != nil {
			return "", err
		}
	}
	r.resources, r.Entries = append(r.resources, v.files[name]...), append(r.Entries, partition.Entry{File: name})
	return written, v.put(r, name, data)
}

// directory vets a reference to a directory with a kustomization, which is a base: it is not built by itself.
func (v *vetter) directory(r *root, ref string, stack []string) (string, error) {
	name, written, err := v.resolve(r, ref)
	if err != nil {
		return "", err
	}
	if _, err := fs.Stat(v.fsys, name); err != nil {
		return "", r.errorf(ref, "%q does not exist: there is no %s in the tree", ref, name)
	}
	if len(v.kustomizations(name)) == 0 {
		return "", r.errorf(ref, "%q has no kustomization.yaml", ref)
	}
	if slices.Contains(stack, name) {
		return "", r.errorf(ref, "uses itself: %s", strings.Join(append(slices.Clone(stack), name), " -> "))
	}
	used, err := v.root(name, stack)
	if err != nil {
		return "", err
	}
	r.uses = append(r.uses, used)
	return written, nil
}

// patch vets one patch, inline or in a file.
func (v *vetter) patch(r *root, p types.Patch) (_ types.Patch, err error) {
	if p.Path, err = v.optionalFile(r, p.Path); err != nil {
		return p, err
	}
	return p, v.weighPatch(r, p)
}

// sources vets the files of a generator: "path" or "key=path".
func (v *vetter) sources(r *root, s *types.KvPairSources) error {
	keyed := func(ref string) (string, error) {
		key, name, has := strings.Cut(ref, "=")
		if !has {
			key, name = path.Base(ref), ref
		}
		written, err := v.fileRef(r, name)
		return key + "=" + written, err
	}
	files := func(ref string) (string, error) { return v.fileRef(r, ref) }
	var err error
	s.EnvSource, err = v.optionalFile(r, s.EnvSource)
	return errors.Join(err, rewrite(s.FileSources, keyed), rewrite(s.EnvSources, files))
}
