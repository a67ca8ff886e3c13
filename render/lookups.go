package render

import (
	"io/fs"
	"slices"
)

// lookups is a file system that records the names of all files and directories that somebody looks for.
type lookups struct {
	fsys  fs.FS
	names map[string]bool
}

// newLookups records for one kustomization, not for one that uses it.
func newLookups(fsys fs.FS) *lookups {
	if outer, is := fsys.(*lookups); is {
		fsys = outer.fsys
	}
	return &lookups{fsys: fsys, names: map[string]bool{}}
}

func (l *lookups) Open(name string) (fs.File, error) {
	l.names[name] = true
	return l.fsys.Open(name)
}

func (l *lookups) Stat(name string) (fs.FileInfo, error) {
	l.names[name] = true
	return fs.Stat(l.fsys, name)
}

func (l *lookups) ReadFile(name string) ([]byte, error) {
	l.names[name] = true
	return fs.ReadFile(l.fsys, name)
}

// vetted is a kustomization of the previous build.
type vetted struct {
	lookups   map[string]bool // of itself
	used      []string        // files that it read
	uses      []string        // directories of other kustomizations
	replaces  bool
	component bool
}

// record keeps the vetted kustomizations for the next build.
func (v *vetter) record() {
	for dir, r := range v.roots {
		k := &vetted{lookups: r.lookups, replaces: len(r.Replacements) > 0, component: r.isComponent()}
		for _, used := range r.uses {
			k.uses = append(k.uses, used.Dir)
		}
		for name := range r.files {
			if v.used[name] {
				k.used = append(k.used, name)
			}
		}
		v.current.vetted[dir] = k
	}
}

// untouched returns the kustomization of a directory in the previous build, with all kustomizations that it uses; nil if one of them
// looked for a file that changed, or if that is not known.
func (b builder) untouched(dir string) map[string]*vetted {
	found := map[string]*vetted{}
	var add func(string) bool
	add = func(dir string) bool {
		k := b.previous.vetted[dir]
		if found[dir] != nil {
			return true
		}
		if k == nil || b.changed == nil || slices.ContainsFunc(b.changed.paths, func(name string) bool { return k.lookups[name] }) {
			return false
		}
		found[dir] = k
		return !slices.ContainsFunc(k.uses, func(dir string) bool { return !add(dir) })
	}
	if !add(dir) {
		return nil
	}
	return found
}
