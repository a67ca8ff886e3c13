package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source"
)

// A checkout is the files of one source.
type checkout struct {
	// files are nil where the directory that is read does not exist and need not.
	files    fs.FS
	revision string
	// message of the commit; empty for a directory.
	message string
}

// checkouts are in the order of the sources. They can be read until end is called.
func (f *treeFlags) checkouts(ctx context.Context, dir string, fed *v1alpha1.Federation) (all []checkout, end func(), err error) {
	sources := fed.Spec.Sources
	end = func() {}
	one := slices.IndexFunc(sources, func(s v1alpha1.Source) bool { return s.URL != sources[0].URL }) < 0
	switch {
	case dir != "" && f.repo != "":
		return nil, nil, errors.New("a directory and --repo: which of the two?")
	case !one && (dir != "" || f.repo != ""):
		return nil, nil, fmt.Errorf("the sources of federation %s are of several repositories: name neither a directory nor --repo, and they are fetched", fed.Name)
	case !one:
		all, err = f.fetchAll(ctx, sources)
		return all, end, err
	}
	var c checkout
	if f.repo != "" {
		c, err = f.fetch(ctx, v1alpha1.Source{URL: f.repo, Ref: &f.ref})
	} else {
		c, end, err = openDirectory(dir)
	}
	return slices.Repeat([]checkout{c}, len(sources)), end, err
}

// openDirectory refuses links that lead out of it, as they are refused in a commit.
func openDirectory(dir string) (checkout, func(), error) {
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return checkout{}, nil, fmt.Errorf("opening the directory: %w", err)
	}
	return checkout{files: root.FS(), revision: "worktree"}, func() { _ = root.Close() }, nil // it was only read
}

func (f *treeFlags) fetchAll(ctx context.Context, sources []v1alpha1.Source) ([]checkout, error) {
	var all []checkout
	for _, s := range sources {
		c, err := f.fetch(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (f *treeFlags) fetch(ctx context.Context, s v1alpha1.Source) (checkout, error) {
	auth, err := gitCredentials(os.Getenv)
	if err != nil {
		return checkout{}, err
	}
	cache, err := f.clones()
	if err != nil {
		return checkout{}, err
	}
	o := source.Options{URL: s.URL, Auth: auth}
	if s.Ref != nil {
		o.Ref = source.Ref{Branch: s.Ref.Branch, Tag: s.Ref.Tag, SemVer: s.Ref.SemVer, Commit: s.Ref.Commit}
	}
	snapshot, err := cache.Fetch(ctx, o)
	return checkout{snapshot.FS, snapshot.Revision, snapshot.Message}, err
}

// clones is where commits are read through, also those of repositories on this machine.
func (f *treeFlags) clones() (*source.Cache, error) {
	dir, err := cacheDirectory(f.cacheDir)
	if err != nil {
		return nil, err
	}
	return source.OpenGit(dir)
}
