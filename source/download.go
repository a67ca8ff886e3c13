package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// downloading brings one commit through the clone on disk. Its owner holds the lock of the repository.
type downloading struct {
	repo   *repository
	remote *remote
	target target
	limits limits
}

// run tries, in this order: the clone as it is, an extended clone, a new clone, and a new clone with the whole
// history. A broken clone leads to the next attempt and is never returned as an error.
func (d downloading) run(ctx context.Context, conn *connection) (*commit, error) {
	if err := d.sweep(); err != nil {
		return nil, err
	}
	c, err := d.extend(ctx, conn)
	if errors.Is(err, errUnused) {
		c, err = d.reclone(ctx, conn, packRequest{wants: []plumbing.Hash{d.target.want}})
	} else if errors.Is(err, errDamaged) && ctx.Err() == nil {
		c, err = d.again(ctx, packRequest{wants: []plumbing.Hash{d.target.want}})
	}
	if !errors.Is(err, errNotServed) {
		return c, blame(err)
	}
	if len(d.target.history) == 0 {
		// The server advertised the commit a moment ago: a push, followed by immediate garbage collection.
		return nil, fmt.Errorf("%w: the server advertised %s but did not send it: %w", ErrUnreachable, d.target.want, err)
	}
	c, err = d.again(ctx, packRequest{wants: d.target.history, whole: true})
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, withKind(ErrRefNotFound, "commit %s not found: the server does not serve commits by hash, and the commit is not in the history of %s",
			d.target.commit, d.searched())
	}
	return c, blame(err)
}

// blame attributes an incomplete new clone: to the server, unless the disk failed.
func blame(err error) error {
	if _, disk := errors.AsType[*fs.PathError](err); disk || !errors.Is(err, errDamaged) {
		return err
	}
	return fmt.Errorf("%w: the server sent no usable pack: %w", ErrUnreachable, err)
}

func (d downloading) searched() string {
	if d.target.pointer == "" {
		return "any branch or tag"
	}
	return fmt.Sprintf("branch %q", d.target.pointer)
}

func (d downloading) path() string { return filepath.Join(d.repo.dir, "clone.git") }

// sweep removes the temporary files of a process that died.
func (d downloading) sweep() error {
	for _, pattern := range []string{"clone.git.*", "clone.git/objects/pack/tmp_*"} {
		left, err := filepath.Glob(filepath.Join(d.repo.dir, pattern))
		if err != nil {
			return fmt.Errorf("clean source cache: %w", err)
		}
		for _, name := range left {
			if err := os.RemoveAll(name); err != nil {
				return fmt.Errorf("clean source cache: %w", err)
			}
		}
	}
	return nil
}

// errUnused means that there is no clone to extend; no request was sent yet.
var errUnused = errors.New("no clone to extend")

// extend returns the commit from the existing clone, and downloads it into the clone if necessary.
func (d downloading) extend(ctx context.Context, conn *connection) (*commit, error) {
	if _, err := os.Stat(d.path()); err != nil {
		return nil, errUnused
	}
	clone := openClone(d.path())
	defer clone.close()
	c, err := d.load(ctx, clone)
	if !errors.Is(err, plumbing.ErrObjectNotFound) && !errors.Is(err, errDamaged) {
		return c, err
	}
	if errors.Is(err, errDamaged) {
		return nil, errUnused
	}
	if err := clone.fetch(ctx, conn, d.target, d.limits); err != nil {
		return nil, err
	}
	c, err = d.load(ctx, clone)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	return c, clone.mark(c.hash)
}

// again is like reclone with a new session: Git's protocol sends one pack per session.
func (d downloading) again(ctx context.Context, w packRequest) (*commit, error) {
	conn, err := d.remote.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	return d.reclone(ctx, conn, w)
}

// reclone creates a new clone and replaces the old one if the new one has the commit.
func (d downloading) reclone(ctx context.Context, conn *connection, w packRequest) (*commit, error) {
	dir, err := os.MkdirTemp(d.repo.dir, "clone.git.new-")
	if err != nil {
		return nil, fmt.Errorf("create clone: %w", err)
	}
	defer os.RemoveAll(dir)
	clone, err := newClone(dir)
	if err != nil {
		return nil, err
	}
	defer clone.close()
	if err := clone.receive(ctx, conn, w, d.limits); err != nil {
		return nil, err
	}
	c, err := d.load(ctx, clone)
	if errors.Is(err, ErrTooLarge) { // keep it, or it would be downloaded only to be rejected again
		return nil, cmp.Or(d.replace(dir), err)
	}
	if err != nil {
		return nil, err
	}
	if err := clone.mark(c.hash); err != nil {
		return nil, err
	}
	return c, d.replace(dir)
}

// replace is not atomic and need not be: without a clone the next fetch creates one.
func (d downloading) replace(dir string) error {
	old := d.path() + ".old"
	if err := os.Rename(d.path(), old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("replace clone: %w", err)
	}
	if err := os.Rename(dir, d.path()); err != nil {
		return fmt.Errorf("replace clone: %w", err)
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("replace clone: %w", err)
	}
	if err := os.WriteFile(filepath.Join(d.repo.dir, "url"), []byte(d.repo.url+"\n"), 0o600); err != nil {
		return fmt.Errorf("replace clone: %w", err)
	}
	return nil
}

func (d downloading) load(ctx context.Context, clone *clone) (*commit, error) {
	return d.repo.loadTarget(newLoader(ctx, clone.store, d.limits, d.repo.known()), d.target)
}
