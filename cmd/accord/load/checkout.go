package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/source"
)

// Checkout is the files of one source.
type Checkout struct {
	// Files are nil if the directory of the source does not exist and may be absent.
	Files    fs.FS
	Revision string
	// Message is the message of the commit; empty for a directory.
	Message string
}

// checkouts returns the files of the sources, in their order. They are readable until end is called.
func (f *Flags) checkouts(ctx context.Context, dir string, fed *v1alpha1.Federation) (all []Checkout, end func(), err error) {
	sources := fed.Spec.Sources
	end = func() {}
	if f.here != nil {
		return f.checkoutsHere(ctx, dir, sources)
	}
	one := slices.IndexFunc(sources, func(s v1alpha1.Source) bool { return s.URL != sources[0].URL }) < 0
	switch {
	case dir != "" && f.Repo != "":
		return nil, nil, errors.New("DIR and --repo are mutually exclusive")
	case !one && (dir != "" || f.Repo != ""):
		return nil, nil, fmt.Errorf("federation %s has sources of several repositories: remove DIR and --repo, then accord fetches the sources", fed.Name)
	case !one:
		all, err = f.fetchAll(ctx, sources)
		return all, end, err
	}
	var c Checkout
	if f.Repo != "" {
		c, err = f.Fetch(ctx, v1alpha1.Source{URL: f.Repo, Ref: &f.ref})
	} else {
		c, end, err = OpenDirectory(dir)
	}
	return slices.Repeat([]Checkout{c}, len(sources)), end, err
}

// OpenDirectory opens a directory. Links that lead out of it cannot be read, as in a commit.
func OpenDirectory(dir string) (Checkout, func(), error) {
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Checkout{}, nil, fmt.Errorf("opening the directory: %w", err)
	}
	return Checkout{Files: root.FS(), Revision: "worktree"}, func() { _ = root.Close() }, nil // it was only read
}

func (f *Flags) fetchAll(ctx context.Context, sources []v1alpha1.Source) ([]Checkout, error) {
	var all []Checkout
	for _, s := range sources {
		c, err := f.Fetch(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (f *Flags) Fetch(ctx context.Context, s v1alpha1.Source) (Checkout, error) {
	auth, err := gitrepo.Auth(os.Getenv)
	if err != nil {
		return Checkout{}, err
	}
	cache, err := f.Cache()
	if err != nil {
		return Checkout{}, err
	}
	o := source.Options{URL: s.URL, Auth: auth}
	if s.Ref != nil {
		o.Ref = source.Ref{Branch: s.Ref.Branch, Tag: s.Ref.Tag, SemVer: s.Ref.SemVer, Commit: s.Ref.Commit}
	}
	line := &text.ProgressLine{}
	if f.stderr != nil {
		line = text.NewProgressLine(f.stderr(), "fetching the repository")
	}
	line.Start()
	snapshot, err := cache.Fetch(ctx, o)
	line.End()
	return Checkout{snapshot.FS, snapshot.Revision, snapshot.Message}, err
}

// Cache opens the cache of commits, which is used for local repositories, too.
func (f *Flags) Cache() (*source.Cache, error) {
	dir, err := gitrepo.CacheDir(f.cacheDir)
	if err != nil {
		return nil, err
	}
	return source.OpenGit(dir)
}
