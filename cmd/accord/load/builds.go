package load

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/plancache"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/packed"
)

// Builds caches the last build of each source, for a tree that differs in a few files. With a Store it begins with the decoded files
// of an earlier run. It never changes a tree. The zero value is empty.
type Builds struct {
	// Store may be nil.
	Store    *plancache.Store
	bySource map[string]*sourceBuild
	reading  map[string]func() *sourceBuild // what Prefetch began to read
}

// sourceBuild is the cache of one source.
type sourceBuild struct {
	*render.Cache
	stored map[string]string // ContentID by path, of the files in the store
}

// PlanCache opens the results of earlier runs, beside the Git clones. The error is a *plancache.UnsafeError if another user can write
// them.
func (f *Flags) PlanCache() (*plancache.Store, error) {
	dir, err := gitrepo.CacheDir(f.cacheDir)
	if err != nil {
		return nil, err
	}
	return plancache.Open(filepath.Join(dir, "plans"), plancache.DefaultLimit)
}

// worthStoring is the number of other files with which decoded files are written again, and the share of them. Fewer are decoded
// faster than all are written.
const (
	worthStoring      = 64
	worthStoringShare = 32
)

// build builds the source with an index. The nil Builds caches nothing.
func (b *Builds) build(fed *v1alpha1.Federation, i int, files fs.FS, o render.Options) ([]render.Object, error) {
	if b == nil {
		return render.Build(files, o)
	}
	if b.bySource == nil {
		b.bySource = map[string]*sourceBuild{}
	}
	name := buildName(fed, i, o)
	if read := b.reading[name]; b.bySource[name] == nil && read != nil {
		b.bySource[name] = read()
	} else if b.bySource[name] == nil {
		b.bySource[name] = readBuild(b.Store.Read(name), o)
	}
	return b.bySource[name].Build(files, o)
}

func buildName(fed *v1alpha1.Federation, i int, o render.Options) string {
	return fmt.Sprintf("objects %q %q %d %q %q", fed.Namespace, fed.Name, i, o.Source, o.Dir)
}

// Prefetch begins to decode the stored files of the sources of a Federation in the directory below, so that the caller can read the
// commit at the same time. It is never needed.
func (b *Builds) Prefetch(fed *v1alpha1.Federation, below string) {
	if b.Store == nil {
		return
	}
	b.reading = map[string]func() *sourceBuild{}
	for i := range fed.Spec.Sources {
		o := render.Options{Source: sourceName(fed, i), Dir: path.Join(below, fed.Spec.Sources[i].Path)}
		name := buildName(fed, i, o)
		read := sync.OnceValue(func() *sourceBuild { return readBuild(b.Store.Read(name), o) })
		b.reading[name] = read
		go read()
	}
}

// sourceName returns the name that objects of a source have in their origin: none if it is the only source.
func sourceName(fed *v1alpha1.Federation, i int) string {
	if len(fed.Spec.Sources) == 1 {
		return ""
	}
	return fed.Spec.Sources[i].Name
}

// readBuild decodes the files of an earlier run. A pack that cannot be decoded is an empty one.
func readBuild(data []byte, o render.Options) *sourceBuild {
	empty := &sourceBuild{Cache: &render.Cache{}, stored: map[string]string{}}
	if data == nil {
		return empty
	}
	pack, err := packed.Open(data)
	if err != nil {
		return empty
	}
	groups, errs := make([][]render.StoredFile, pack.Groups()), make([]error, pack.Groups())
	concurrent.Do(len(groups), func(i int) { groups[i], errs[i] = pack.Group(i) })
	if slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		return empty
	}
	files := slices.Concat(groups...)
	s := &sourceBuild{Cache: render.NewCache(o, files), stored: make(map[string]string, len(files))}
	for _, f := range files {
		s.stored[f.Path] = f.ContentID
	}
	return s
}

// Found reports whether the store had decoded files of the builds.
func (b *Builds) Found() bool {
	for _, s := range b.bySource {
		if len(s.stored) > 0 {
			return true
		}
	}
	return false
}

// Save stores the decoded files of the last builds if the store has too many others. An error is not about the builds.
func (b *Builds) Save() error {
	if b.Store == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.bySource)) {
		s := b.bySource[name]
		files := s.Stored()
		other := 0
		for _, f := range files {
			if s.stored[f.Path] != f.ContentID {
				other++
			}
		}
		gone := max(0, len(s.stored)-len(files))
		if other+gone < max(worthStoring, len(files)/worthStoringShare) {
			continue
		}
		if err := b.Store.Write(name, packed.Encode(files)); err != nil {
			return err
		}
	}
	return nil
}
