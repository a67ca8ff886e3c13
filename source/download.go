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

// downloading is one commit on its way through the clone on disk. The repository
// is locked meanwhile.
type downloading struct {
	repo   *repository
	remote *remote
	target target
	limits limits
}

// run tries, in this order: the clone as it is, the clone plus what it lacks, a
// new clone, and a new clone with all history to search in. Whatever is wrong
// with a clone is a reason for the next, never an error of its own.
func (d downloading) run(ctx context.Context, talk *talk) (*commit, error) {
	if err := d.sweep(); err != nil {
		return nil, err
	}
	c, err := d.extend(ctx, talk)
	if errors.Is(err, errUnused) {
		c, err = d.anew(ctx, talk, wish{wants: []plumbing.Hash{d.target.want}})
	} else if errors.Is(err, errDamaged) && ctx.Err() == nil {
		c, err = d.again(ctx, wish{wants: []plumbing.Hash{d.target.want}})
	}
	if !errors.Is(err, errNotGiven) {
		return c, blame(err)
	}
	if len(d.target.history) == 0 {
		// It was there a moment ago: a push, and a server that tidies up at once.
		return nil, fmt.Errorf("%w: the server named %s and then did not give it out: %w", ErrUnreachable, d.target.want, err)
	}
	c, err = d.again(ctx, wish{wants: d.target.history, whole: true})
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, because(ErrRefNotFound, "commit %s not found: the server does not give out commits by hash, and it is not in the history of %s",
			d.target.commit, d.searched())
	}
	return c, blame(err)
}

// blame finds out whose fault a new clone is that does not hold what it should:
// the server's, unless it was the disk.
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

// sweep removes what a process that died has left.
func (d downloading) sweep() error {
	for _, pattern := range []string{"clone.git.*", "clone.git/objects/pack/tmp_*"} {
		left, err := filepath.Glob(filepath.Join(d.repo.dir, pattern))
		if err != nil {
			return fmt.Errorf("tidy source cache: %w", err)
		}
		for _, name := range left {
			if err := os.RemoveAll(name); err != nil {
				return fmt.Errorf("tidy source cache: %w", err)
			}
		}
	}
	return nil
}

// errUnused: there is no clone, or none to go on with, and nothing was asked of
// the remote yet.
var errUnused = errors.New("no clone to go on with")

// extend takes the commit from the clone that is there, or adds it.
func (d downloading) extend(ctx context.Context, talk *talk) (*commit, error) {
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
	if err := clone.fetch(ctx, talk, d.target, d.limits); err != nil {
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

// again is anew with a new session: Git's protocol has one pack for each.
func (d downloading) again(ctx context.Context, w wish) (*commit, error) {
	talk, err := d.remote.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	return d.anew(ctx, talk, w)
}

// anew makes a new clone and puts it in the place of the old one if it has the
// commit.
func (d downloading) anew(ctx context.Context, talk *talk, w wish) (*commit, error) {
	dir, err := os.MkdirTemp(d.repo.dir, "clone.git.new-")
	if err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	defer os.RemoveAll(dir)
	clone, err := newClone(dir)
	if err != nil {
		return nil, err
	}
	defer clone.close()
	if err := clone.receive(ctx, talk, w, d.limits); err != nil {
		return nil, err
	}
	c, err := d.load(ctx, clone)
	if errors.Is(err, ErrTooLarge) { // kept, so that it is not downloaded to be refused again
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

// replace is not atomic, and need not be: without a clone the next fetch makes
// one.
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
	return newLoader(ctx, clone.store, d.limits, d.repo.known()).load(d.target.commit)
}
