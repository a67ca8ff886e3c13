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
	"github.com/accord-dev/accord/internal/egress"
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
	repositories, end, err := f.repositories(ctx, dir, fed.Name, repositoriesOf(fed.Spec.Sources))
	if err != nil {
		return nil, nil, err
	}
	if all, err = f.withLive(ctx, fed.Spec.Sources, repositories); err != nil {
		end()
		return nil, nil, err
	}
	return all, end, nil
}

// repositories returns the files of the sources that are repositories.
func (f *Flags) repositories(ctx context.Context, dir, federation string, sources []v1alpha1.Source) (all []Checkout, end func(), err error) {
	end = func() {}
	if len(sources) == 0 {
		return nil, end, nil
	}
	if f.here != nil {
		return f.checkoutsHere(ctx, dir, sources)
	}
	one := slices.IndexFunc(sources, func(s v1alpha1.Source) bool { return s.URL != sources[0].URL }) < 0
	switch {
	case dir != "" && f.Repo != "":
		return nil, nil, errors.New("DIR and --repo are mutually exclusive")
	case !one && (dir != "" || f.Repo != ""):
		return nil, nil, fmt.Errorf("federation %s has sources of several repositories: remove DIR and --repo, then accord fetches the sources", federation)
	case !one:
		all, err = f.fetchAll(ctx, sources, repositoryAround(dir))
		return all, end, err
	}
	var c Checkout
	if f.Repo != "" {
		c, err = f.Fetch(ctx, v1alpha1.Source{URL: f.Repo, Ref: &f.ref}, repositoryAround(f.Repo))
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

// repositoryAround returns the repository around a directory, or nil if there is none.
func repositoryAround(dir string) *gitrepo.Repository {
	if dir == "" {
		dir = "."
	}
	h, err := gitrepo.Open(dir)
	if err != nil {
		return nil
	}
	return h
}

func (f *Flags) fetchAll(ctx context.Context, sources []v1alpha1.Source, around *gitrepo.Repository) ([]Checkout, error) {
	var all []Checkout
	for _, s := range sources {
		c, err := f.Fetch(ctx, s, around)
		if err != nil {
			return nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Fetch reads one source. It sends the credentials of the environment only to the host of --repo and to those of the remotes of
// the repository around the manifests, which may be nil.
func (f *Flags) Fetch(ctx context.Context, s v1alpha1.Source, around *gitrepo.Repository) (Checkout, error) {
	auth, withheld, err := gitrepo.Auth(os.Getenv, s.URL, append(around.Remotes(), f.Repo))
	if err != nil {
		return Checkout{}, err
	}
	cache, err := f.Cache()
	if err != nil {
		return Checkout{}, err
	}
	o := source.Options{URL: s.URL, Insecure: s.Insecure || s.URL == f.Repo, Auth: auth}
	if s.Ref != nil {
		o.Ref = source.Ref{Branch: s.Ref.Branch, Tag: s.Ref.Tag, SemVer: s.Ref.SemVer, Commit: s.Ref.Commit}
	}
	line := f.Progress("fetching the repository")
	line.Start()
	snapshot, err := cache.Fetch(ctx, o)
	line.End()
	if withheld && errors.Is(err, source.ErrAuth) {
		err = fmt.Errorf("%w; the credentials of the environment belong to the hosts of the remotes of the repository: set %s to send them to another host, over https or SSH",
			err, gitrepo.HostEnv)
	}
	return Checkout{snapshot.FS, snapshot.Revision, snapshot.Message}, err
}

// Cache opens the cache of commits, which is used for local repositories, too.
func (f *Flags) Cache() (*source.Cache, error) {
	dir, err := gitrepo.CacheDir(f.cacheDir)
	if err != nil {
		return nil, err
	}
	return source.OpenGit(dir, source.Policy{Local: true, Networks: egress.Everywhere(), Lazy: true})
}
