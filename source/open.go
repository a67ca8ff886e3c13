package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
)

var (
	errIsDir  = errors.New("is a directory")
	errNotDir = errors.New("not a directory")
)

// OpenFile returns an open file with a content that nobody changes.
func OpenFile(content []byte, info fs.FileInfo) fs.File {
	return &openFile{bytes.NewReader(content), info}
}

// OpenDir returns an open directory. list returns its entries, sorted by name, in a slice of their own.
func OpenDir(info fs.FileInfo, list func() []fs.DirEntry) fs.File {
	return &openDir{info: info, list: list}
}

type openFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info fs.FileInfo
	list func() []fs.DirEntry
	at   int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errIsDir}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.list()[d.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return rest, nil
}
