package render

import (
	"maps"
	"slices"
)

// StoredFile is a file without mistakes as a build decoded it. Package packed encodes it.
type StoredFile struct {
	Path string
	// ContentID is that of the FileInfo, never empty.
	ContentID string
	// Objects have the Path in their Origin, and any Source.
	Objects []Object
}

// Stored returns the files of the last build, sorted by path: those with a ContentID and without mistakes.
func (m *Cache) Stored() []StoredFile {
	all := make([]StoredFile, 0, len(m.files))
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		if f := m.files[name]; f.id != "" && f.err == nil {
			all = append(all, StoredFile{name, f.id, f.objects})
		}
	}
	return all
}

// NewCache returns a cache as if an earlier build with these options had decoded the files. It takes over their objects.
func NewCache(o Options, files []StoredFile) *Cache {
	m := &Cache{options: o, files: make(map[string]*cachedFile, len(files))}
	for _, f := range files {
		for i := range f.Objects {
			f.Objects[i].Origin.Source = o.Source
			f.Objects[i].id = idOf(f.Objects[i].Manifest.Get())
		}
		m.files[f.Path] = &cachedFile{id: f.ContentID, objects: f.Objects, documents: len(f.Objects)}
	}
	return m
}
