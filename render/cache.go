package render

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/partition"
)

// Cache holds the results of the previous build of a directory. The next build parses changed files only: it compares the
// ContentID of their FileInfos, or else their bytes. A kustomization is built again if a file that it can read changed. If the file
// system has a method Changes, the next build looks at the changed files only. A Cache never changes
// the result of a build. Objects of unchanged files, and their Manifests, are shared by both builds. The zero value is
// empty. A Cache is not safe for concurrent builds.
type Cache struct {
	options Options
	fsys    fs.FS
	files   map[string]*cachedFile
	built   map[string]*cachedBuild // by directory
	vetted  map[string]*vetted      // by directory
	texts   *compact.Texts          // has the objects in compact form; nil to have them whole
	result  *result                 // nil after an error
	edits   Edits                   // of the last build
}

// cachedFile is the content of one file with its objects.
type cachedFile struct {
	id      string // of the content; empty if the file system has none
	data    []byte // nil with an id
	objects []Object
	err     error
	size    int64 // of the content
	// documents are at least the objects of the file, except for those of Lists.
	documents int
}

// cachedBuild is the result of kustomize for one directory.
type cachedBuild struct {
	closure map[string][]byte // all files that kustomize could read
	parts   map[partition.Key]*partition.Result[kustomized]
	objects []Object
}

// size returns the number of bytes that kustomize could read.
func (k *cachedBuild) size() (bytes int64) {
	for _, data := range k.closure {
		bytes += int64(len(data))
	}
	return bytes
}

// NewCompactCache returns an empty cache with manifests in compact form: for a process that keeps many objects and seldom looks at
// them.
func NewCompactCache(texts *compact.Texts) *Cache { return &Cache{texts: texts} }

// Build works as the function Build and reuses the results of the previous build. It drops them if the options changed.
func (m *Cache) Build(fsys fs.FS, o Options) ([]Object, error) {
	before := *m
	if before.options.Source != o.Source || before.options.Dir != o.Dir {
		before = Cache{texts: before.texts}
	}
	*m = emptyCache(o, fsys)
	m.texts = before.texts
	return builder{fsys: fsys, source: o.Source, previous: before, current: m, changed: changesOf(before.fsys, fsys), buffer: make([]byte, 4<<10), budget: o.Budget, form: formIn(before.texts), sizes: partition.UsualSizes}.build(o)
}

func emptyCache(o Options, fsys fs.FS) Cache {
	return Cache{options: o, fsys: fsys, files: map[string]*cachedFile{}, built: map[string]*cachedBuild{}, vetted: map[string]*vetted{}}
}

// content returns the objects of a file. It reads the data only if they changed.
func (b builder) content(f manifestFile) ([]Object, error) {
	name, t := f.name, b.previous.files[f.name]
	if id := contentID(f.info); t != nil && (id != "" && id == t.id || t.id == "" && b.unchanged(name, t.data)) {
		if t.size == 0 && f.info != nil { // an earlier process decoded it
			t.size = f.info.Size()
		}
		b.current.files[name] = t
		if err := b.budget.fits(name, t.documents); err != nil {
			return nil, err
		}
		return t.objects, t.err
	}
	data, err := b.file(name).Read(b.fsys)
	if err != nil {
		return nil, err
	}
	return b.objects(name, data)
}

// contentID returns the identifier of the content of a file; empty if the file system has none. Its fs.FileInfo then has a method
// ContentID.
func (b builder) contentID(name string) string {
	info, err := fs.Stat(b.fsys, name)
	if err != nil {
		return ""
	}
	return contentID(info)
}

// contentID returns the identifier of the content of a file; empty without one, and for nil.
func contentID(info fs.FileInfo) string {
	if f, ok := info.(interface{ ContentID() string }); ok {
		return f.ContentID()
	}
	return ""
}

// objects returns the objects of a file with the given content.
func (b builder) objects(name string, data []byte) ([]Object, error) {
	t, id := b.previous.files[name], b.contentID(name)
	if t == nil || id != t.id || id == "" && !bytes.Equal(t.data, data) {
		documents := len(decode.Split(data))
		if err := b.budget.fits(name, documents); err != nil {
			return nil, err
		}
		t = &cachedFile{id: id, size: int64(len(data)), documents: documents}
		if id == "" {
			t.data = data
		}
		t.objects, t.err = readObjects(b.file(name), data, b.form)
	}
	b.current.files[name] = t
	if err := b.budget.fits(name, t.documents); err != nil {
		return nil, err
	}
	return t.objects, t.err
}

// unchanged reports whether a file still has the content data, without reading it into memory as a whole.
func (b builder) unchanged(name string, data []byte) bool {
	f, err := b.fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(data)) {
		return false
	}
	for {
		n, err := f.Read(b.buffer)
		if n > len(data) || !bytes.Equal(b.buffer[:n], data[:n]) {
			return false
		}
		if data = data[n:]; err != nil {
			return err == io.EOF && len(data) == 0
		}
	}
}

// closure returns every file that kustomize can read when it builds r: the files of r and of the kustomizations that r
// uses.
func (v *vetter) closure(r *root) (map[string][]byte, error) {
	all := map[string][]byte{}
	seen := map[*root]bool{}
	var add func(*root) error
	add = func(r *root) error {
		if seen[r] {
			return nil
		}
		seen[r] = true
		for name := range r.files {
			data, err := v.memory.ReadFile("/" + name)
			if err != nil {
				return v.file(name).Errorf(0, "is not in memory any more: %v", err)
			}
			all[name] = data
		}
		for _, used := range r.uses {
			if err := add(used); err != nil {
				return err
			}
		}
		return nil
	}
	return all, add(r)
}

// cached returns the previous result for r if all files that kustomize can read are the same.
func (v *vetter) cached(r *root, closure map[string][]byte) ([]Object, bool) {
	k := v.previous.built[r.Dir]
	if k == nil || !maps.EqualFunc(k.closure, closure, bytes.Equal) {
		return nil, false
	}
	v.current.built[r.Dir] = k
	return slices.Clone(k.objects), true
}
