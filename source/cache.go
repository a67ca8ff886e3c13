package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/fairshare"
)

// Cache fetches from Git. It keeps one bare, shallow clone of each URL on disk, shared by all callers, and the latest
// commits in memory. It is safe for concurrent use, also by several processes with the same directory: they take
// turns at each clone.
//
// Disk: each new commit adds its differences to the clone; after 32 commits the clone is recreated from one. Memory:
// the last 8 commits of each URL, which share equal files, directories and parts of large directories.
type Cache struct {
	dir    string
	policy Policy

	refs *fairshare.Pool // the refs of all connections, in bytes

	mu      sync.Mutex
	repos   map[string]*repository
	clients map[clientKey]*http.Client
}

// Policy decides which repositories a Cache may reach. The zero Policy allows servers with public addresses only.
type Policy struct {
	// Local allows paths and file://. A repository inside the directory of the cache is always refused: it is the clone of
	// another caller.
	Local bool
	// Networks allows servers in these loopback, link-local and private networks.
	Networks egress.Networks
	// Lazy reads the files of repositories on this machine when they are opened, so that unchanged files cost nothing. A Snapshot
	// then needs its repository, and opening a file fails if the repository is damaged.
	Lazy bool
}

// OpenGit returns a cache in dir and creates the directory if necessary. Files in dir may be deleted between fetches;
// the next fetch downloads them again.
func OpenGit(dir string, p Policy) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	return &Cache{dir: dir, policy: p, refs: fairshare.New(maxRefs), repos: map[string]*repository{}, clients: map[clientKey]*http.Client{}}, nil
}

func (c *Cache) repository(at address) *repository {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := at.key()
	if c.repos[key] == nil {
		r := &repository{dir: filepath.Join(c.dir, key), url: at.String(), turn: make(chan struct{}, 1)}
		if c.policy.Lazy && at.local() {
			r.later = &later{path: at.path()}
		}
		c.repos[key] = r
	}
	return c.repos[key]
}

// repository holds the cached state of one URL.
type repository struct {
	dir  string
	url  string
	turn chan struct{} // holds one token while the clone is in use
	// later reads the files of a local repository; nil to read them at once.
	later *later

	mu     sync.Mutex
	recent []*commit // ordered by last use, newest last
	// tags are the objects of annotated tags that led to recent commits.
	tags map[plumbing.Hash][]byte
	// loose is the reader of the last commit; nil while one is read.
	loose *looseReader
}

const (
	maxRecent = 8
	maxTags   = 32
)

// recall returns a commit from memory, or nil.
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

// tag returns the tag object that a target wants; nil if there is none. known is false if the object was not read yet.
func (r *repository) tag(t target) (object []byte, known bool) {
	if t.want == t.commit {
		return nil, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	object, known = r.tags[t.want]
	return object, known
}

func (r *repository) rememberTag(hash plumbing.Hash, object []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tags == nil || len(r.tags) >= maxTags {
		r.tags = map[plumbing.Hash][]byte{}
	}
	r.tags[hash] = object
}

// loadTarget reads the commit of a target, and its tag object.
func (r *repository) loadTarget(l *loader, t target) (*commit, error) {
	c, err := l.load(t.commit)
	if err != nil || t.want == t.commit {
		return c, err
	}
	object, err := l.tag(t.want)
	if err != nil {
		return nil, err
	}
	r.rememberTag(t.want, object)
	return c, nil
}

// recallTarget is recall for a target whose tag object was read, too.
func (r *repository) recallTarget(t target, l limits) *commit {
	if _, known := r.tag(t); !known {
		return nil
	}
	return r.recall(t.commit, l)
}

// takeLoose returns the reader of the last commit, which keepLoose takes back; nil if there is none.
func (r *repository) takeLoose() *looseReader {
	r.mu.Lock()
	defer r.mu.Unlock()
	loose := r.loose
	r.loose = nil
	return loose
}

func (r *repository) keepLoose(loose *looseReader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loose = loose
}

func (r *repository) known() []*commit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.recent)
}

// fetch reads the remote's refs and returns the commit that ref points to: from memory if possible, else from disk,
// else from the remote.
func (r *repository) fetch(ctx context.Context, remote *remote, ref Ref, l limits) (target, *commit, error) {
	conn, err := remote.connect(ctx)
	if err != nil {
		return target{}, nil, err
	}
	defer conn.close()
	t, err := ref.resolve(conn.refs())
	if err != nil {
		return target{}, nil, err
	}
	if c := r.recallTarget(t, l); c != nil {
		return t, c, l.check(c.hash, c.root)
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return target{}, nil, err
	}
	defer unlock()
	if c := r.recallTarget(t, l); c != nil { // another caller loaded it meanwhile
		return t, c, l.check(c.hash, c.root)
	}
	d := downloading{repo: r, remote: remote, target: t, limits: l}
	c, err := d.run(ctx, conn)
	if err != nil {
		return target{}, nil, err
	}
	r.remember(c)
	return t, c, nil
}

// stored returns a commit from memory, or else from the clone on disk. It asks no server.
func (r *repository) stored(ctx context.Context, ref Ref, l limits) (target, *commit, error) {
	hash := plumbing.NewHash(ref.Commit)
	t := target{pointer: ref.Branch, want: hash, commit: hash}
	unlock, err := r.lock(ctx)
	if err != nil {
		return target{}, nil, err
	}
	defer unlock()
	if c := r.recall(hash, l); c != nil {
		return t, c, l.check(c.hash, c.root)
	}
	d := downloading{repo: r, target: t, limits: l}
	if _, err := os.Stat(d.path()); err != nil {
		return target{}, nil, withKind(ErrRefNotFound, "commit %s not found: there is no clone on disk", ref.Commit)
	}
	clone := openClone(d.path())
	defer clone.close()
	c, err := d.load(ctx, clone)
	if errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, errDamaged) {
		return target{}, nil, withKind(ErrRefNotFound, "commit %s not found in the clone on disk", ref.Commit)
	}
	if err != nil {
		return target{}, nil, err
	}
	r.remember(c)
	return t, c, nil
}
