package render

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/mistake"
	"github.com/accord-dev/accord/render/partition"
)

// Options select the directory to build.
type Options struct {
	// Source is the name of the source in the Origin of every object; it may be empty.
	Source string
	// Dir is the slash-separated path of the directory to build; "" and "." are the root of the tree.
	Dir string
	// Budget bounds the objects and bytes of this and other builds; nil for no limits. Build returns a *LimitError beyond it.
	Budget *Budget
}

// Build returns all objects of a directory, in a stable order.
//
// Kustomize builds a directory with a kustomization; Build does not read files beside it that it does not name. From
// any other directory Build reads all .yaml, .yml and .json files, sub-directories included, and builds every
// sub-directory with a kustomization. It does not read the files, bases and components that a kustomization of the same
// build uses a second time. It skips names that begin with a dot, and does not follow linked directories.
//
// The error is a *manifest.Error, or several joined, each with its file and, if known, its line. With an error there
// are no objects. A directory without manifests has no objects and no error. A missing directory is an error.
func Build(fsys fs.FS, o Options) ([]Object, error) { return new(Cache).Build(fsys, o) }

func (b builder) build(o Options) ([]Object, error) {
	dir := path.Clean(strings.TrimSuffix(cmp.Or(o.Dir, "."), "/"))
	if !fs.ValidPath(dir) {
		return nil, b.file(o.Dir).Errorf(0, "is not a path inside the tree")
	}
	if objects, done := b.next(dir); done {
		return objects, nil
	}
	files, roots, err := b.walk(dir)
	if err != nil {
		return nil, err
	}
	objects, used, err := b.kustomize(dir, roots)
	kustomized := len(objects)
	if limit, exceeded := errors.AsType[*LimitError](err); exceeded {
		return nil, limit
	}
	files = slices.DeleteFunc(files, func(f manifestFile) bool { return used[f.name] })
	if limit := b.budget.addFiles(files); limit != nil {
		return nil, limit
	}
	objects = slices.Grow(objects, len(files))
	plain, wrong := files, mistake.List{Limit: mistake.MaxErrors}
	for more := wrong.Add(err); more && len(files) > 0; files = files[1:] {
		found, err := b.content(files[0])
		if limit, exceeded := errors.AsType[*LimitError](err); exceeded {
			return nil, limit
		}
		if limit := b.budget.add(files[0].name, len(found), 0); limit != nil {
			return nil, limit
		}
		objects, more = append(objects, found...), wrong.Add(err)
	}
	wrong.Add(duplicates(objects))
	if err := wrong.Join(b.file(dir).Errorf(0, "has %d mistakes or more; the rest of it was not read", mistake.MaxErrors)); err != nil {
		return nil, err
	}
	return b.keepResult(roots, used, plain, objects, kustomized), nil
}

func byPath(a, b Object) int { return cmp.Compare(a.Origin.Path, b.Origin.Path) }

type builder struct {
	fsys     fs.FS
	source   string
	previous Cache // of the previous build
	current  *Cache
	buffer   []byte // for reading files
	budget   *Budget
	form     form
	sizes    partition.Sizes
	changed  *changed // since the previous build; nil if unknown
}

func (b builder) file(name string) decode.File {
	return decode.File{Origin: manifest.Origin{Source: b.source, Path: name}}
}

// manifestFile is a file that may have manifests. It has no info if there is an error about it, which reading the file reports.
type manifestFile struct {
	name string
	info fs.FileInfo
}

// walk returns the manifests below dir and the directories with a kustomization. It does not enter these directories.
func (b builder) walk(dir string) (files []manifestFile, roots []string, err error) {
	err = fs.WalkDir(b.fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case !mistake.Printable(name) && entry != nil: // it is nil for a root that does not exist
			return b.unprintable(name, entry)
		case err != nil:
			return b.file(name).Errorf(0, "cannot be read: %v", mistake.Reason(err))
		case name != dir && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if len(b.kustomizations(name)) > 0 {
				roots = append(roots, name)
				return fs.SkipDir
			}
			return nil
		case name == dir:
			return b.file(name).Errorf(0, "is not a directory")
		}
		info, is, err := b.manifestInfo(name, entry)
		if is {
			files = append(files, manifestFile{name, info})
		}
		return err
	})
	return files, roots, err
}

// unprintable returns an error for a manifest or directory whose name cannot be printed.
func (b builder) unprintable(name string, entry fs.DirEntry) error {
	if _, is, err := b.manifestInfo(name, entry); !is && err == nil && !entry.IsDir() {
		return nil
	}
	return b.file(path.Dir(name)).Errorf(0, "contains a name with unprintable characters: %q", path.Base(name))
}

// manifestInfo reports whether a file may have manifests, and describes it, or the file that a link leads to.
func (b builder) manifestInfo(name string, entry fs.DirEntry) (info fs.FileInfo, is bool, err error) {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
	default:
		return nil, false, nil
	}
	if entry.Type()&fs.ModeSymlink == 0 {
		if !entry.Type().IsRegular() {
			return nil, false, nil
		}
		if info, err = entry.Info(); err != nil {
			info = nil
		}
		return info, true, nil
	}
	target, err := fs.Stat(b.fsys, name)
	if err != nil {
		return nil, false, b.file(name).Errorf(0, "is a link that cannot be followed: %v", err)
	}
	return target, target.Mode().IsRegular(), nil
}

// duplicates returns an error for every object that is defined a second time.
func duplicates(objects []Object) error {
	first := make(map[manifest.ID]manifest.Origin, len(objects))
	wrong := mistake.List{Limit: mistake.MaxErrors}
	for _, o := range objects {
		id := o.ID()
		if before, twice := first[id]; twice {
			if !wrong.Add(&manifest.Error{
				Origin:  o.Origin,
				Message: fmt.Sprintf("%s is defined a second time, first at %s", id, before),
			}) {
				break
			}
			continue
		}
		first[id] = o.Origin
	}
	return errors.Join(wrong.Errs...)
}
