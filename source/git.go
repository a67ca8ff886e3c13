package source

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/accord-dev/accord/internal/egress"
)

// Limits that apply where [Options] has zero.
const (
	DefaultMaxFileSize = 8 << 20   // 8 MiB
	DefaultMaxTreeSize = 128 << 20 // 128 MiB
	DefaultTimeout     = 60 * time.Second
)

// Options selects the commit to fetch and bounds the fetch.
type Options struct {
	// URL is https://, http://, ssh://, user@host:path, file:// or a path on this machine (bare or with a work tree).
	// A password in it is used if Auth has none, and is never printed.
	URL string
	Ref Ref

	// Insecure allows http://, which sends files and credentials unencrypted.
	Insecure bool

	// Auth may be nil for anonymous access. Local paths ignore it.
	Auth *Auth

	// Networks allows servers in these loopback, link-local and private networks, beside those of the Policy.
	Networks egress.Networks

	// MaxFileSize is in bytes. A larger file is listed with its size, but opening it fails with [ErrTooLarge]. Zero
	// means [DefaultMaxFileSize].
	MaxFileSize int64

	// MaxTreeSize bounds the memory of one snapshot in bytes: the files up to MaxFileSize. A larger tree is rejected
	// with [ErrTooLarge]. A download may be eight times as large. Zero means [DefaultMaxTreeSize].
	MaxTreeSize int64

	// Timeout bounds the whole fetch, including the wait for other callers. Zero means [DefaultTimeout].
	Timeout time.Duration

	// Offline reads the commit of Ref from the clone on disk and asks no server. It needs Ref.Commit; a commit that an
	// earlier fetch did not leave in the clone is [ErrRefNotFound].
	Offline bool
}

// Snapshot is one commit. It is immutable and stays readable after later fetches and deletions.
type Snapshot struct {
	// Revision has Flux's form: "main@sha1:<40 hex>", "v1.4.0@sha1:<40 hex>", or "sha1:<40 hex>" for a commit that
	// was requested without a branch.
	Revision  string
	Commit    string    // 40 hex
	Tree      string    // 40 hex, of the root; equal trees have equal files
	Time      time.Time // of the committer, in UTC
	Author    string    // "Name <mail>"
	By        Identity  // the author
	Committer Identity
	Subject   string // first line of the message
	Message   string // complete, with trailers
	RawCommit []byte // the commit object, as it was signed; the caller must not change it
	RawTag    []byte // the tag object that led to the commit; nil for a lightweight tag, and without a tag

	// FS holds the files of the commit in memory. It is safe for concurrent use and implements [fs.ReadDirFS],
	// [fs.ReadFileFS], [fs.StatFS] and [fs.ReadLinkFS]. It follows symbolic links inside the tree; opening a link
	// that leads out of the tree fails with [ErrSymlink]. A submodule is an empty directory. Modification times are
	// the commit's.
	FS fs.FS
}

// Identity is a person as Git names one. A Git author chooses it freely.
type Identity struct{ Name, Email string }

// ParseIdentity reads "Name <mail>". Without an address the whole text is the name.
func ParseIdentity(text string) Identity {
	name, rest, _ := strings.Cut(text, "<")
	email, _, _ := strings.Cut(rest, ">")
	return Identity{Name: line(strings.TrimSpace(name)), Email: line(strings.TrimSpace(email))}
}

// Fetch returns the commit that o.Ref points to now. Errors have one of the kinds of this package, or are ctx's own
// if ctx ended first.
func (c *Cache) Fetch(ctx context.Context, o Options) (Snapshot, error) {
	caller := ctx
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()

	at, err := parseAddress(o.URL)
	if err == nil {
		err = c.permit(at, o)
	}
	if err == nil {
		err = o.Ref.validate()
	}
	var snapshot Snapshot
	if err == nil {
		snapshot, err = c.fetch(ctx, at, o)
	}
	if err != nil {
		return Snapshot{}, explain(caller, ctx, err, at, o)
	}
	return snapshot, nil
}

// permit returns an error if the policy of the cache or the options refuse an address.
func (c *Cache) permit(at address, o Options) error {
	switch {
	case at.endpoint.Protocol == "http" && !o.Insecure:
		return fmt.Errorf("%w: http:// is not encrypted: use https://, or set insecure: true for the source", ErrInvalid)
	case !at.local():
		return nil
	case !c.policy.Local:
		return fmt.Errorf("%w: a path on the machine of accord is refused: use https:// or SSH, or run the controllers with --allow-local-sources", ErrInvalid)
	}
	path, err := filepath.Abs(at.path())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if below, err := filepath.Rel(c.dir, path); err == nil && (below == "." || filepath.IsLocal(below)) {
		return fmt.Errorf("%w: the path is inside the cache of accord, which has the clones of other Federations", ErrInvalid)
	}
	return nil
}

func (c *Cache) fetch(ctx context.Context, at address, o Options) (Snapshot, error) {
	l := limits{
		file: cmp.Or(o.MaxFileSize, DefaultMaxFileSize),
		tree: cmp.Or(o.MaxTreeSize, DefaultMaxTreeSize),
	}
	repo := c.repository(at)
	if o.Offline && o.Ref.Commit == "" {
		return Snapshot{}, fmt.Errorf("%w: offline only a commit can be read, not %s", ErrInvalid, o.Ref)
	}
	if at.local() {
		t, loaded, err := repo.readLocal(ctx, at.path(), o.Ref, l)
		return repo.snapshot(t, loaded), err
	}
	if o.Offline {
		t, loaded, err := repo.stored(ctx, o.Ref, l)
		return repo.snapshot(t, loaded), err
	}
	remote, err := c.remote(at, o.Auth, slices.Concat(c.policy.Networks, o.Networks))
	if err != nil {
		return Snapshot{}, err
	}
	t, loaded, err := repo.fetch(ctx, remote, o.Ref, l)
	return repo.snapshot(t, loaded), err
}

func (r *repository) snapshot(t target, c *commit) Snapshot {
	if c == nil {
		return Snapshot{}
	}
	tag, _ := r.tag(t)
	return Snapshot{
		Revision: revision(t.pointer, c.hash.String()),
		Commit:   c.hash.String(),
		Tree:     c.root.hash.String(),
		Time:     c.time,
		Author:   line(c.by.Name + " <" + c.by.Email + ">"),
		By:       c.by, Committer: c.committer,
		Subject:   c.subject(),
		Message:   c.message,
		RawCommit: c.raw,
		RawTag:    tag,
		FS:        tree{root: c.root, time: c.time, limit: c.fileLimit},
	}
}

// limits in bytes, never zero.
type limits struct{ file, tree int64 }

func (l limits) download() int64 { return 8 * min(l.tree, math.MaxInt64/8) }

// check returns an error if the tree exceeds the limit.
func (l limits) check(commit plumbing.Hash, root *dir) error {
	if root.sum.size <= l.tree {
		return nil
	}
	name, size := root.sum.largestName, root.sum.largestSize
	return fmt.Errorf("%w: commit %s holds %s of files, the limit is %s; the largest is %q with %s",
		ErrTooLarge, commit, bytesOf(root.sum.size), bytesOf(l.tree), name, bytesOf(size))
}
