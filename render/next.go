package render

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/mistake"
)

// changed are the files and directories that one of two trees lacks, and the files with another content or mode.
type changed struct{ paths []string }

// mostChanged is the number of changes up to which it is worth looking at each.
const mostChanged = 1000

// changesOf returns the changes between two trees; nil if they are unknown or many.
func changesOf(before, now fs.FS) *changed {
	tree, is := now.(interface {
		Changes(since fs.FS) (paths []string, known bool)
	})
	if !is || before == nil {
		return nil
	}
	paths, known := tree.Changes(before)
	if !known || len(paths) > mostChanged {
		return nil
	}
	return &changed{paths}
}

// result is a build without errors, from which the next one is made.
type result struct {
	roots      []string        // directories with a kustomization that the build did not enter
	used       map[string]bool // files that kustomizations read
	kustomized []Object        // sorted by path, as the others
	plain      []Object
	size       int64                // bytes of the plain files
	documents  int                  // of the file with the most
	empty      int                  // documents without an object, of the file with the most
	ids        map[manifest.ID]bool // of all objects; nil until the next build
	list       []Object             // both, as the build returned them
}

// keepResult returns the list of objects, sorted by path, and keeps the result for the next build. all are the objects of kustomizations
// first, then those of other files.
func (b builder) keepResult(roots []string, used map[string]bool, files []manifestFile, all []Object, kustomized int) []Object {
	r := &result{roots: roots, used: used, kustomized: slices.Clone(all[:kustomized]), plain: slices.Clone(all[kustomized:])}
	slices.SortStableFunc(r.kustomized, byPath)
	slices.SortStableFunc(r.plain, byPath)
	for _, f := range files {
		r.size += b.current.files[f.name].size
	}
	r.measure(b.current.files)
	r.list = merged(r.kustomized, r.plain)
	if last := b.previous.result; last != nil {
		b.current.edits = differences(last.list, r.list)
	}
	b.current.result = r
	return r.list
}

// measure records the largest numbers of documents of some files.
func (r *result) measure(files map[string]*cachedFile) {
	for _, t := range files {
		if t != nil {
			r.documents, r.empty = max(r.documents, t.documents), max(r.empty, t.documents-len(t.objects))
		}
	}
}

// next makes the result from the previous one if only files changed that the build reads alone, or kustomizations. It returns false,
// and changes nothing, for everything else: for errors, limits, and other kustomizations.
func (b builder) next(dir string) ([]Object, bool) {
	before := b.previous.result
	if before == nil || b.changed == nil {
		return nil, false
	}
	n := &nextBuild{builder: b, before: before, files: map[string]*cachedFile{}}
	for _, name := range b.changed.paths {
		if !n.look(dir, name) {
			return nil, false
		}
	}
	objects, done := n.objects(dir)
	if !done { // the kustomizations may have been built
		texts := b.current.texts
		*b.current = emptyCache(b.current.options, b.fsys)
		b.current.texts = texts
	}
	return objects, done
}

// nextBuild is a build that is made from the previous one.
type nextBuild struct {
	builder
	before *result
	files  map[string]*cachedFile // that changed; nil for one that is gone
}

// look reads a changed file if the build reads it, and returns false if the change can concern other files.
func (n *nextBuild) look(dir, name string) bool {
	if !mistake.Printable(name) || name == dir {
		return false
	}
	below, inside := strings.CutPrefix(name, dir+"/")
	if dir == "." {
		below, inside = name, true
	}
	if !inside || strings.HasPrefix(below, ".") || strings.Contains(below, "/.") || n.before.used[name] {
		return true
	}
	isKustomization := slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name))
	for _, root := range n.before.roots {
		if root == "." || strings.HasPrefix(name, root+"/") { // its files concern the kustomization only
			return !isKustomization || path.Dir(name) != root || len(n.kustomizations(root)) == 1
		}
	}
	info, err := fs.Stat(n.fsys, name)
	switch ext := path.Ext(name); {
	case isKustomization:
		return false
	case err == nil && info.Mode().IsRegular() && (ext == ".yaml" || ext == ".yml" || ext == ".json"):
		return n.read(name)
	case n.previous.files[name] != nil:
		n.files[name] = nil
	}
	return true
}

// read reads a changed file, and returns false if it has a mistake.
func (n *nextBuild) read(name string) bool {
	data, err := n.file(name).Read(n.fsys)
	if err != nil {
		return false
	}
	t := &cachedFile{id: n.contentID(name), size: int64(len(data)), documents: len(decode.Split(data))}
	if t.id == "" || n.budget.fits(name, t.documents) != nil {
		return false
	}
	if t.objects, t.err = readObjects(n.file(name), data, n.form); t.err != nil {
		return false
	}
	n.files[name] = t
	return true
}

// objects returns the objects of the build, and keeps its result.
func (n *nextBuild) objects(dir string) ([]Object, bool) {
	now := *n.before
	if now.ids == nil {
		now.ids = make(map[manifest.ID]bool, len(now.kustomized)+len(now.plain))
		for _, o := range slices.Concat(now.kustomized, now.plain) {
			now.ids[o.ID()] = true
		}
	}
	if !n.rebuild(dir, &now) || !n.splice(&now) {
		return nil, false
	}
	now.measure(n.current.files)
	now.measure(n.files)
	if !n.count(&now) {
		return nil, false
	}
	files := n.previous.files
	maps.Copy(files, n.current.files) // of the kustomizations
	n.current.files = files
	for name, t := range n.files {
		if n.current.files[name] = t; t == nil {
			delete(n.current.files, name)
		}
	}
	now.list = merged(now.kustomized, now.plain)
	n.current.result, n.current.edits = &now, differences(n.before.list, now.list)
	return now.list, true
}

// rebuild builds the kustomizations that looked for a changed file. It returns false after an error, and if they read other files.
func (n *nextBuild) rebuild(dir string, now *result) bool {
	if !slices.ContainsFunc(now.roots, func(root string) bool { return n.untouched(root) == nil }) {
		n.current.built, n.current.vetted = n.previous.built, n.previous.vetted
		return true
	}
	without := n.builder
	without.budget = nil // count counts
	objects, used, err := without.kustomize(dir, now.roots)
	if err != nil || !maps.Equal(used, now.used) {
		return false
	}
	for _, o := range now.kustomized {
		delete(now.ids, o.ID())
	}
	now.kustomized = slices.Clone(objects)
	slices.SortStableFunc(now.kustomized, byPath)
	return now.add(now.kustomized)
}

// add adds the IDs of new objects, and returns false if there is already an object with one.
func (r *result) add(objects []Object) bool {
	for _, o := range objects {
		if r.ids[o.ID()] {
			return false
		}
		r.ids[o.ID()] = true
	}
	return true
}

// splice replaces the objects of the changed files, and returns false if an object is defined a second time.
func (n *nextBuild) splice(now *result) bool {
	names := slices.Sorted(maps.Keys(n.files))
	for _, name := range names {
		if t := n.previous.files[name]; t != nil {
			now.size -= t.size
			for _, o := range t.objects {
				delete(now.ids, o.ID())
			}
		}
	}
	if len(names) == 0 {
		return true
	}
	plain := make([]Object, 0, len(now.plain)+len(names))
	rest := now.plain
	for _, name := range names {
		at := sort.Search(len(rest), func(i int) bool { return rest[i].Origin.Path >= name })
		plain, rest = append(plain, rest[:at]...), rest[at:]
		rest = rest[samePath(rest, name):]
		if t := n.files[name]; t != nil {
			now.size += t.size
			if plain = append(plain, t.objects...); !now.add(t.objects) {
				return false
			}
		}
	}
	now.plain = append(plain, rest...)
	return true
}

// count counts the objects and bytes of the build, and returns false if they exceed the budget.
func (n *nextBuild) count(now *result) bool {
	size := now.size
	for _, k := range n.current.built {
		size += k.size()
	}
	if n.budget == nil {
		return true
	}
	if n.budget.ledger {
		n.budget.added = append(n.budget.added, addition{".", len(now.kustomized) + len(now.plain), size, n.additions()})
		return true
	}
	counted := *n.budget
	if counted.fits(".", now.documents) != nil || counted.add(".", len(now.kustomized)+len(now.plain), size) != nil || counted.fits(".", now.empty) != nil {
		return false
	}
	*n.budget = counted
	return true
}

// additions returns a function that builds everything again and returns what a ledger then records.
func (n *nextBuild) additions() func() []addition {
	o, cache, fsys := n.current.options, n.current, n.fsys
	return func() []addition {
		ledger, whole := NewLedger(), *cache
		o.Budget, whole.result = ledger, nil
		_, _ = whole.Build(fsys, o) // there was no error
		return ledger.added
	}
}

// merged returns the objects in the order of their paths: those of kustomizations first.
func merged(kustomized, plain []Object) []Object {
	if len(kustomized) == 0 {
		return slices.Clip(plain) // nobody changes the list of a result
	}
	all := make([]Object, 0, len(kustomized)+len(plain))
	for len(kustomized) > 0 && len(plain) > 0 {
		if kustomized[0].Origin.Path <= plain[0].Origin.Path {
			all, kustomized = append(all, kustomized[0]), kustomized[1:]
		} else {
			all, plain = append(all, plain[0]), plain[1:]
		}
	}
	return append(append(all, kustomized...), plain...)
}
