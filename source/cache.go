package source

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// Cache fetches from Git. It keeps one bare, shallow clone for each URL on disk,
// used by all who fetch from that URL, and the commits fetched last in memory.
// It is safe for concurrent use, also by several processes on one directory:
// they take turns at each clone.
//
// Disk: each new commit adds what differs to the clone; after 32 of them it
// is made again from one commit. Memory: the last 8 commits of each URL, which
// share all files and directories they have in common.
type Cache struct {
	dir string

	mu      sync.Mutex
	repos   map[string]*repository
	clients map[[sha256.Size]byte]*http.Client
}

// OpenGit returns a cache in dir, which is made if it does not exist. All in it
// may be deleted between fetches; that only costs downloads.
func OpenGit(dir string) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	return &Cache{dir: dir, repos: map[string]*repository{}, clients: map[[sha256.Size]byte]*http.Client{}}, nil
}

func (c *Cache) repository(at address) *repository {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := at.key()
	if c.repos[key] == nil {
		c.repos[key] = &repository{dir: filepath.Join(c.dir, key), url: at.String(), turn: make(chan struct{}, 1)}
	}
	return c.repos[key]
}

// repository is all that is kept of one URL.
type repository struct {
	dir  string
	url  string
	turn chan struct{} // holds one token while the clone is in use

	mu     sync.Mutex
	recent []*commit // newest use last
}

const maxRecent = 8

// recall returns a commit that is in memory, or nil.
func (r *repository) recall(hash plumbing.Hash, l limits) *commit {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.recent, func(c *commit) bool { return c.hash == hash && c.fileLimit == l.file })
	if i < 0 {
		return nil
	}
	c := r.recent[i]
	r.recent = append(slices.Delete(r.recent, i, i+1), c)
	return c
}

func (r *repository) remember(c *commit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent = append(r.recent, c)
	if len(r.recent) > maxRecent {
		r.recent = slices.Delete(r.recent, 0, len(r.recent)-maxRecent)
	}
}

func (r *repository) known() []*commit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.recent)
}

// fetch asks the remote and returns the commit ref points to, from memory,
// disk or the remote, whichever is nearest.
func (r *repository) fetch(ctx context.Context, remote *remote, ref Ref, l limits) (target, *commit, error) {
	talk, err := remote.ask(ctx)
	if err != nil {
		return target{}, nil, err
	}
	defer talk.close()
	t, err := ref.resolve(talk.refs())
	if err != nil {
		return target{}, nil, err
	}
	if c := r.recall(t.commit, l); c != nil {
		return t, c, l.check(c.hash, c.root)
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return target{}, nil, err
	}
	defer unlock()
	if c := r.recall(t.commit, l); c != nil { // somebody else was faster
		return t, c, l.check(c.hash, c.root)
	}
	d := downloading{repo: r, remote: remote, target: t, limits: l}
	c, err := d.run(ctx, talk)
	if err != nil {
		return target{}, nil, err
	}
	r.remember(c)
	return t, c, nil
}
