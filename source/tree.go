package source

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// tree implements fs.FS for the files of a commit.
type tree struct {
	root  *dir
	time  time.Time
	limit int64
}

// Open opens a file or directory, following symbolic links.
func (t tree) Open(name string) (fs.File, error) {
	e, err := t.walk("open", name, true)
	if err != nil {
		return nil, err
	}
	if e.dir != nil {
		return OpenDir(t.info(name, e), func() []fs.DirEntry { return t.list(e.dir) }), nil
	}
	if err := t.readable(e.file); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	content, err := e.file.read()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return OpenFile(content, t.info(name, e)), nil
}

// ReadFile returns a copy of a file's content.
func (t tree) ReadFile(name string) ([]byte, error) {
	content, err := t.ReadShared(name)
	if err != nil {
		return nil, err
	}
	return append([]byte{}, content...), nil
}

// ReadShared returns the content of a file, which belongs to the snapshot: the caller must not change it.
func (t tree) ReadShared(name string) ([]byte, error) {
	e, err := t.walk("read", name, true)
	if err == nil && e.dir != nil {
		err = &fs.PathError{Op: "read", Path: name, Err: errIsDir}
	} else if err == nil {
		if tooLarge := t.readable(e.file); tooLarge != nil {
			err = &fs.PathError{Op: "read", Path: name, Err: tooLarge}
		}
	}
	if err != nil {
		return nil, err
	}
	content, err := e.file.read()
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return content[:len(content):len(content)], nil
}

// ReadDir returns the entries of a directory, sorted by name. It does not follow symbolic links.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.walk("readdir", name, true)
	if err != nil {
		return nil, err
	}
	if e.dir == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
	}
	return t.list(e.dir), nil
}

// Stat describes a file or directory and follows symbolic links.
func (t tree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.walk("stat", name, true)
	if err != nil {
		return nil, err
	}
	return t.info(name, e), nil
}

// Lstat is like Stat but does not follow the last link.
func (t tree) Lstat(name string) (fs.FileInfo, error) {
	e, err := t.walk("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return t.info(name, e), nil
}

// ReadLink returns the target of a symbolic link, unchanged.
func (t tree) ReadLink(name string) (string, error) {
	e, err := t.walk("readlink", name, false)
	if err != nil {
		return "", err
	}
	if e.mode&fs.ModeSymlink == 0 || !e.file.held {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return string(e.file.content), nil
}

func (t tree) readable(f *file) error {
	if f.held {
		return nil
	}
	return fmt.Errorf("%w: the file has %s, the limit is %s", ErrTooLarge, bytesOf(f.size), bytesOf(t.limit))
}

func (t tree) list(d *dir) []fs.DirEntry {
	var listed []fs.DirEntry
	sorted := true
	for e := range d.all() {
		sorted = sorted && (len(listed) == 0 || listed[len(listed)-1].Name() < e.name)
		listed = append(listed, t.info(e.name, e))
	}
	if !sorted {
		slices.SortFunc(listed, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return listed
}

func (t tree) info(name string, e entry) info {
	return info{name: path.Base(name), entry: e, time: t.time}
}

// info implements fs.FileInfo and fs.DirEntry.
type info struct {
	name  string
	entry entry
	time  time.Time
}

func (i info) Name() string               { return i.name }
func (i info) Mode() fs.FileMode          { return i.entry.mode }
func (i info) Type() fs.FileMode          { return i.entry.mode.Type() }
func (i info) ModTime() time.Time         { return i.time }
func (i info) IsDir() bool                { return i.entry.dir != nil }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) String() string             { return fs.FormatFileInfo(i) }

// ContentID returns the hash of a blob, by which render.Cache compares files; empty for a directory.
func (i info) ContentID() string {
	if i.entry.file == nil {
		return ""
	}
	return string(i.entry.file.hash[:])
}

func (i info) Size() int64 {
	if i.entry.dir != nil {
		return 0
	}
	return i.entry.file.size
}

// bytesOf formats a size for users.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
