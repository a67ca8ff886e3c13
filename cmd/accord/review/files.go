package review

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// changedFiles returns the files that differ between base and head, sorted by path: the files below the paths of the
// Federation, and those beside the manifest of an object, which are the bases of a kustomization. A file that accord does not
// read, such as a README, is not listed outside of a kustomization.
func (p *comparison) changedFiles() []string {
	names, within := map[string]bool{}, touchedOf(p.base.Files, p.head.Files)
	for _, s := range []*side{p.base, p.head} {
		s.listFiles(names, within)
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return sameFile(p.base.Files, p.head.Files, name) })
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

// touched are the directories in which two trees differ, with those around them; nil if that is not known.
type touched map[string]bool

// touchedOf returns the directories in which two commits differ. Others have the same files on both sides.
func touchedOf(before, after fs.FS) touched {
	tree, is := after.(interface {
		Changes(since fs.FS) (paths []string, known bool)
	})
	if !is {
		return nil
	}
	paths, known := tree.Changes(before)
	if !known {
		return nil
	}
	t := touched{".": true}
	for _, name := range paths {
		for dir := path.Dir(name); !t[dir]; dir = path.Dir(dir) {
			t[dir] = true
		}
	}
	return t
}

// lacks reports whether a directory is the same on both sides.
func (t touched) lacks(dir string) bool { return t != nil && !t[dir] }

// listFiles adds the files of one side in touched directories.
func (s *side) listFiles(names map[string]bool, within touched) {
	if s.Files == nil || s.tree == nil {
		return
	}
	beside := map[string]bool{}
	for _, o := range s.tree.Input.Objects {
		beside[path.Dir(o.Origin.Path)] = true
	}
	for dir := range beside {
		if within.lacks(dir) {
			continue
		}
		entries, _ := fs.ReadDir(s.Files, dir) // the origin of a generated object is no file
		built := hasKustomization(entries)
		for _, e := range entries {
			if !e.IsDir() && (built || isManifest(e.Name())) {
				names[path.Join(dir, e.Name())] = true
			}
		}
	}
	for _, below := range s.paths {
		built := "" // the directory with a kustomization that the walk is in
		_ = fs.WalkDir(s.Files, below, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil: // the renderer reports it
				return nil
			case name != below && strings.HasPrefix(e.Name(), "."): // the renderer skips them, too
				if e.IsDir() {
					return fs.SkipDir
				}
			case e.IsDir() && within.lacks(name):
				return fs.SkipDir
			case e.IsDir():
				if entries, err := fs.ReadDir(s.Files, name); err == nil && hasKustomization(entries) && !inside(name, built) {
					built = name
				}
			case isManifest(name) || inside(name, built):
				names[name] = true
			}
			return nil
		})
	}
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

func hasKustomization(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, e.Name())
	})
}

// inside reports whether a file or directory is below dir; nothing is below "".
func inside(name, dir string) bool {
	return dir == "." || dir != "" && strings.HasPrefix(name, dir+"/")
}

// sameFile reports whether a file has the same content on both sides.
func sameFile(before, after fs.FS, name string) bool {
	if id := contentID(before, name); id != "" && id == contentID(after, name) {
		return true
	}
	a, wasThere := readFile(before, name)
	b, isThere := readFile(after, name)
	return wasThere == isThere && bytes.Equal(a, b)
}

func readFile(files fs.FS, name string) (data []byte, exists bool) {
	if files == nil {
		return nil, false
	}
	data, err := fs.ReadFile(files, name)
	return data, err == nil
}

// contentID returns the hash by which Git identifies the content of a file; empty for a file of a working tree, and without the file.
func contentID(files fs.FS, name string) string {
	if files == nil {
		return ""
	}
	info, err := fs.Stat(files, name)
	if err != nil {
		return ""
	}
	identified, ok := info.(interface{ ContentID() string })
	if !ok {
		return ""
	}
	return identified.ContentID()
}
