package gitrepo

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/accord-dev/accord/source"
)

// HeadFiles returns the files of HEAD with the checks and limits of the controllers.
func (h *Repository) HeadFiles(ctx context.Context, cache *source.Cache) (fs.FS, error) {
	head, err := h.repo.Head()
	if err != nil {
		return nil, err
	}
	snapshot, err := h.Files(ctx, cache, plumbing.NewHash(head.Hash().String()))
	return snapshot.FS, err
}

// Overlay returns the files of below with one regular file replaced by the change.
func (c Change) Overlay(below fs.FS) fs.FS { return overlay{below, c} }

// overlay implements fs.FS. The directories are those below, because the change replaces an existing file.
type overlay struct {
	fs.FS
	change Change
}

func (o overlay) Open(name string) (fs.File, error) {
	file, err := o.FS.Open(name)
	if err != nil || name != o.change.File {
		return file, err
	}
	info, err := file.Stat()
	_ = file.Close() // it was only read
	if err != nil || !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return &changedFile{Reader: bytes.NewReader(o.change.Text), info: changedInfo{info, int64(len(o.change.Text))}}, nil
}

type changedFile struct {
	*bytes.Reader
	info changedInfo
}

func (f *changedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *changedFile) Close() error               { return nil }

// changedInfo has the size of the new text.
type changedInfo struct {
	fs.FileInfo
	size int64
}

func (i changedInfo) Size() int64        { return i.size }
func (i changedInfo) Name() string       { return path.Base(i.FileInfo.Name()) }
func (i changedInfo) ModTime() time.Time { return time.Time{} }
