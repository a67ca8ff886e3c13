package source

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// later reads files of a repository on this machine when they are opened.
type later struct {
	path string

	mu    sync.Mutex
	store *filesystem.Storage // open until the later is garbage
}

// read returns the content of a file.
func (f *file) read() ([]byte, error) {
	if f.later == nil {
		return f.content, nil
	}
	return f.later.read(f.hash, f.size)
}

func (r *later) read(hash plumbing.Hash, size int64) (content []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { // as in load
		if p := recover(); p != nil {
			content, err = nil, fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	for range 2 { // a concurrent git gc moves objects from one pack to another
		if r.store == nil {
			if r.store, err = openLocal(r.path, true); err != nil {
				return nil, err
			}
			runtime.AddCleanup(r, func(s *filesystem.Storage) { _ = s.Close() }, r.store)
		}
		l := &loader{ctx: context.Background(), store: r.store}
		if content, err = l.read(hash, plumbing.BlobObject, size); err == nil {
			return content, nil
		}
		r.store = nil
	}
	return nil, err
}

// link returns a file with the content that it needs as a symbolic link.
func (l *loader) link(f *file) (*file, error) {
	if f.later == nil {
		if l.links == nil {
			l.links = map[plumbing.Hash]bool{}
		}
		l.links[f.hash] = true
		return f, nil
	}
	content, err := l.read(f.hash, plumbing.BlobObject, f.size)
	return &file{hash: f.hash, size: f.size, content: content, held: true}, err
}
