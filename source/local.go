package source

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// readLocal reads a repository on this machine in place: it copies nothing and needs no git program.
func (r *repository) readLocal(ctx context.Context, path string, ref Ref, l limits) (target, *commit, error) {
	t, c, err := r.readOnce(ctx, path, ref, l)
	if errors.Is(err, errDamaged) {
		// A concurrent git gc moves objects from one pack to another.
		t, c, err = r.readOnce(ctx, path, ref, l)
	}
	return t, c, err
}

func (r *repository) readOnce(ctx context.Context, path string, ref Ref, l limits) (target, *commit, error) {
	known := r.known()
	store, err := openLocal(path, len(known) == 0)
	if err != nil {
		return target{}, nil, err
	}
	defer store.Close()
	have, err := readRefs(store)
	if err != nil {
		return target{}, nil, err
	}
	t, err := ref.resolve(have)
	if err != nil {
		return target{}, nil, err
	}
	loader := newLoader(ctx, store, l, known)
	loader.later = r.later
	defer r.keepLoose(loader.reuse(r.takeLoose()))
	if ref.Tag != "" || ref.SemVer != "" {
		if t.commit, err = loader.peel(t.want); err != nil {
			return target{}, nil, err
		}
	}
	if c := r.recallTarget(t, l); c != nil {
		return t, c, l.check(c.hash, c.root)
	}
	c, err := r.loadTarget(loader, t)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return target{}, nil, withKind(ErrRefNotFound, "commit %s not found", t.commit)
	}
	if err != nil {
		return target{}, nil, err
	}
	r.remember(c)
	return t, c, nil
}

// openLocal opens a bare repository, a work tree or a linked work tree, with the alternates of the repository. list lists all objects
// at the first access, which pays for a whole commit and not for a change; after a concurrent git gc the caller opens the repository again.
func openLocal(path string, list bool) (*filesystem.Storage, error) {
	repo, err := git.PlainOpenWithOptions(filepath.Clean(path), &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	found, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("%w: stored as %T", ErrNotRepository, repo.Storer)
	}
	return filesystem.NewStorageWithOptions(found.Filesystem(), cache.NewObjectLRU(16*cache.MiByte), filesystem.Options{
		KeepDescriptors: true,
		ExclusiveAccess: list,
		AlternatesFS:    osfs.New("/"),
	}), nil
}

func readRefs(store storer.ReferenceStorer) (refs, error) {
	have := refs{branches: map[string]plumbing.Hash{}, tags: map[string]plumbing.Hash{}, headName: "HEAD"}
	iter, err := store.IterReferences()
	if err != nil {
		return refs{}, fmt.Errorf("%w: read refs: %v", errDamaged, err)
	}
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		if ref.Type() == plumbing.HashReference {
			have.add(ref.Name().String(), ref.Hash())
		}
		return nil
	})
	if err != nil {
		return refs{}, fmt.Errorf("%w: read refs: %v", errDamaged, err)
	}
	head, err := store.Reference(plumbing.HEAD)
	if err != nil {
		return refs{}, fmt.Errorf("%w: read HEAD: %w", ErrNotRepository, err)
	}
	have.head = head.Hash()
	if head.Type() == plumbing.SymbolicReference {
		have.headName = head.Target().Short()
		have.head = have.branches[have.headName]
	}
	return have, nil
}
