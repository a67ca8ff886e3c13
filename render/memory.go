package render

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// Memory is what the builds of one directory learnt, so that the next one reads and runs only what changed: files are
// compared byte by byte, and a kustomization is built again when a file that it can read is another. A Memory never
// changes what is built, only how soon. Objects of files that did not change are the same in both builds, Manifests and
// all. The zero value knows nothing. It is not for several builds at the same time.
type Memory struct {
	options Options
	files   map[string]*text
	built   map[string]*kustomized // by directory
}

// text is the content of one file and the objects in it.
type text struct {
	data    []byte
	objects []Object
	err     error
}

// kustomized is what kustomize made of one directory.
type kustomized struct {
	closure map[string][]byte // all files that it could read, as it could read them
	objects []Object
}

// Build is the function Build with what m knows of the build before. Nothing is remembered of other options.
func (m *Memory) Build(fsys fs.FS, o Options) ([]Object, error) {
	before := *m
	if before.options != o {
		before = Memory{}
	}
	*m = Memory{options: o, files: map[string]*text{}, built: map[string]*kustomized{}}
	return builder{fsys: fsys, source: o.Source, before: before, now: m, room: make([]byte, 4<<10)}.build(o)
}

// content is what a file contains, whose data is read unless it is the same as before.
func (b builder) content(name string) ([]Object, error) {
	if t := b.before.files[name]; t != nil && b.unchanged(name, t.data) {
		b.now.files[name] = t
		return t.objects, t.err
	}
	data, err := b.file(name).read(b.fsys)
	if err != nil {
		return nil, err
	}
	return b.objects(name, data)
}

// objects are those of a file with this content.
func (b builder) objects(name string, data []byte) ([]Object, error) {
	t := b.before.files[name]
	if t == nil || !bytes.Equal(t.data, data) {
		t = &text{data: data}
		t.objects, t.err = b.file(name).objects(data)
	}
	b.now.files[name] = t
	return t.objects, t.err
}

// unchanged compares a file with what it contained, without holding it whole.
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
		n, err := f.Read(b.room)
		if n > len(data) || !bytes.Equal(b.room[:n], data[:n]) {
			return false
		}
		if data = data[n:]; err != nil {
			return err == io.EOF && len(data) == 0
		}
	}
}

// closure is every file that kustomize can read when it builds r: its own and those of the kustomizations it uses.
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
				return v.file(name).errorf(0, "is not in memory any more: %v", err)
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

// recall is what kustomize made of r the last time, if it can read nothing else now.
func (v *vetter) recall(r *root, closure map[string][]byte) ([]Object, bool) {
	k := v.before.built[r.dir]
	if k == nil || !maps.EqualFunc(k.closure, closure, bytes.Equal) {
		return nil, false
	}
	v.now.built[r.dir] = k
	return slices.Clone(k.objects), true
}
