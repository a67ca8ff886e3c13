package cluster

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/accord-dev/accord/source"
)

// tree implements fs.FS for the files of a snapshot.
type tree struct {
	root *node
	dirs func() map[string][]fs.DirEntry // sorted by name; computed when a directory is read
}

func newTree(root *node) tree {
	return tree{root, sync.OnceValue(func() map[string][]fs.DirEntry { return directories(root) })}
}

// directories returns the entries of every directory.
func directories(root *node) map[string][]fs.DirEntry {
	all := map[string][]fs.DirEntry{".": nil}
	var add func(dir string, e info)
	add = func(dir string, e info) {
		if _, known := all[dir]; !known {
			add(path.Dir(dir), info{name: path.Base(dir)})
		}
		all[dir] = append(all[dir], e)
	}
	for f := range root.all() {
		add(path.Dir(f.path), info{path.Base(f.path), f})
	}
	for _, entries := range all {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return all
}

// Changes returns the paths of the files that one of two snapshots lacks, or that have another content. It returns false if the other
// file system is not of this package.
func (t tree) Changes(since fs.FS) (paths []string, known bool) {
	before, is := since.(tree)
	if !is {
		return nil, false
	}
	changed(before.root, t.root, 0, func(path string) { paths = append(paths, path) })
	return paths, true
}

var (
	errIsDir  = errors.New("is a directory")
	errNotDir = errors.New("not a directory")
)

func (t tree) find(op, name string) (info, error) {
	if !fs.ValidPath(name) {
		return info{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if f := t.root.get(name); f != nil {
		return info{path.Base(name), f}, nil
	}
	if _, is := t.dirs()[name]; is {
		return info{name: path.Base(name)}, nil
	}
	return info{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open opens a file or directory.
func (t tree) Open(name string) (fs.File, error) {
	i, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if i.file == nil {
		return source.OpenDir(i, func() []fs.DirEntry { return slices.Clone(t.dirs()[name]) }), nil
	}
	return source.OpenFile(i.file.content, i), nil
}

// Stat describes a file or directory.
func (t tree) Stat(name string) (fs.FileInfo, error) {
	if i, err := t.find("stat", name); err != nil {
		return nil, err
	} else {
		return i, nil
	}
}

// ReadFile returns a copy of the content of a file.
func (t tree) ReadFile(name string) ([]byte, error) {
	shared, err := t.ReadShared(name)
	return slices.Clone(shared), err
}

// ReadShared returns the content of a file, which belongs to the snapshot: the caller must not change it.
func (t tree) ReadShared(name string) ([]byte, error) {
	i, err := t.find("read", name)
	switch {
	case err != nil:
		return nil, err
	case i.file == nil:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDir}
	}
	return i.file.content, nil
}

// ReadDir returns the entries of a directory, sorted by name.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	i, err := t.find("readdir", name)
	switch {
	case err != nil:
		return nil, err
	case i.file != nil:
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
	}
	return slices.Clone(t.dirs()[name]), nil
}

// info implements fs.FileInfo and fs.DirEntry. A directory has no file.
type info struct {
	name string
	file *file
}

func (i info) Name() string               { return i.name }
func (i info) IsDir() bool                { return i.file == nil }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) Sys() any                   { return nil }
func (i info) String() string             { return fs.FormatFileInfo(i) }

func (i info) Mode() fs.FileMode {
	if i.file == nil {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (i info) Size() int64 {
	if i.file == nil {
		return 0
	}
	return int64(len(i.file.content))
}

// ContentID returns the hash of a file, by which render.Cache compares files; empty for a directory.
func (i info) ContentID() string {
	if i.file == nil {
		return ""
	}
	return string(i.file.hash[:])
}
