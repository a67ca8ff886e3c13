// Package gitrepo reads a Git repository on this machine, and edits and commits one field of a manifest in it.
package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/source"
)

// Repository is a Git repository on this machine.
type Repository struct {
	repo *git.Repository
	// Root is the work tree, or the repository itself if it is bare, without symbolic links in its path.
	Root string
	Bare bool
	// Below is the directory that the user named, relative to Root: "." or "deploy/prod".
	Below string
}

// Open finds the repository around a directory.
func Open(dir string) (*Repository, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the directory: %w", err)
	}
	found, err := git.PlainOpenWithOptions(abs, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) { // a bare one is not around its files
		found, err = git.PlainOpen(abs)
	}
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, fmt.Errorf("%s is not in a Git repository: specify a directory of a repository, or --repo", abs)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the Git repository around %s: %w", abs, err)
	}
	h := &Repository{Root: abs, Bare: true, Below: "."}
	tree, err := found.Worktree()
	if err == nil {
		h.Root, h.Bare = tree.Filesystem.Root(), false
		if h.Below, err = filepath.Rel(h.Root, abs); err != nil {
			return nil, fmt.Errorf("placing %s in its Git repository: %w", abs, err)
		}
		h.Below = filepath.ToSlash(h.Below)
	} else if !errors.Is(err, git.ErrIsBareRepository) {
		return nil, fmt.Errorf("opening the Git repository around %s: %w", abs, err)
	}
	h.repo, err = withAlternates(found)
	return h, err
}

// withAlternates returns the repository with the objects that it borrows from others on this machine (git clone --reference).
func withAlternates(found *git.Repository) (*git.Repository, error) {
	store, ok := found.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("the Git repository has the unknown storage %T", found.Storer)
	}
	whole := filesystem.NewStorageWithOptions(store.Filesystem(), cache.NewObjectLRUDefault(), filesystem.Options{AlternatesFS: osfs.New("/")})
	repo, err := git.Open(whole, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the Git repository: %w", err)
	}
	return repo, nil
}

// Commit resolves a revision as git rev-parse does: a branch, a tag, origin/main, HEAD~1, the first digits of a commit.
func (h *Repository) Commit(rev string) (*object.Commit, error) {
	hash, err := h.resolve(rev)
	if err != nil {
		return nil, err
	}
	c, err := h.repo.CommitObject(hash)
	if err != nil {
		return nil, fmt.Errorf("revision %q: reading commit %s: %w", rev, hash, err)
	}
	return c, nil
}

func (h *Repository) resolve(rev string) (plumbing.Hash, error) {
	name := rev
	if rest, ok := strings.CutPrefix(rev, "@"); ok && (rest == "" || rest[0] == '~' || rest[0] == '^') {
		name = "HEAD" + rest
	}
	if strings.Trim(name, "~^") == "" || strings.ContainsAny(name[:1], "~^:") || strings.Contains(name, "@{") {
		return plumbing.ZeroHash, fmt.Errorf("revision %q: expected a branch, a tag, a commit, or one of these with ~N or ^", rev)
	}
	hash, err := h.repo.ResolveRevision(plumbing.Revision(name))
	if err == nil {
		return *hash, nil
	}
	why := ""
	switch {
	case errors.Is(err, plumbing.ErrReferenceNotFound):
		why = h.suggestion(name)
	case h.shallow():
		why = shallowHint
	case errors.Is(err, io.EOF):
		why = ": the history has fewer commits; name an older commit that exists, or a branch"
	default:
		why = ": " + err.Error()
	}
	return plumbing.ZeroHash, fmt.Errorf("no revision %q in the Git repository%s", rev, why)
}

// RefNames returns HEAD, the branches and the tags.
func (h *Repository) RefNames() []string {
	names := []string{"HEAD"}
	if refs, err := h.repo.References(); err == nil {
		_ = refs.ForEach(func(r *plumbing.Reference) error { // it only collects
			if short := r.Name().Short(); !strings.HasSuffix(short, "/HEAD") {
				names = append(names, short)
			}
			return nil
		})
	}
	return names
}

// suggestion names the closest ref, or the reason why the commit may be missing.
func (h *Repository) suggestion(rev string) string {
	base, _, _ := strings.Cut(rev, "~")
	base, _, _ = strings.Cut(base, "^")
	hint := manifest.DidYouMean(base, h.RefNames())
	if h.shallow() {
		hint += shallowHint
	}
	return hint
}

// shallowHint is the fix for a clone without the commit.
const shallowHint = "; this clone has only part of the history: fetch the whole of it (GitHub: actions/checkout with fetch-depth: 0)"

func (h *Repository) shallow() bool {
	commits, err := h.repo.Storer.Shallow()
	return err == nil && len(commits) > 0
}

// Empty reports whether the repository has no commit.
func (h *Repository) Empty() bool {
	_, err := h.repo.Head()
	return errors.Is(err, plumbing.ErrReferenceNotFound)
}

// Files returns the files of a commit with the checks and limits of the controllers.
func (h *Repository) Files(ctx context.Context, cache *source.Cache, commit plumbing.Hash) (source.Snapshot, error) {
	return cache.Fetch(ctx, source.Options{URL: h.Root, Ref: source.Ref{Commit: commit.String()}})
}

// MissingCommits counts the commits of base that head does not have. known is false if the clone is too shallow to count.
func MissingCommits(base, head *object.Commit) (n int, known bool) {
	if base.Hash == head.Hash {
		return 0, true
	}
	inHead := map[plumbing.Hash]bool{}
	err := object.NewCommitIterCTime(head, nil, nil).ForEach(func(c *object.Commit) error {
		inHead[c.Hash] = true
		if c.Hash == base.Hash { // all before it is in both
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return 0, true
	}
	if err != nil {
		return 0, false
	}
	err = object.NewCommitPreorderIter(base, inHead, nil).ForEach(func(*object.Commit) error {
		n++
		return nil
	})
	return n, err == nil
}

// errStop ends an iteration.
var errStop = errors.New("enough")

// MergedCommit returns the commit that a merge commit merged, else the commit itself. Forges test a pull request as a merge
// commit with a message of their own.
func MergedCommit(c *object.Commit) *object.Commit {
	if len(c.ParentHashes) < 2 {
		return c
	}
	if p, err := c.Parent(len(c.ParentHashes) - 1); err == nil {
		return p
	}
	return c
}

// UserName returns the user of git's configuration, and "" if it has none or outside of a repository.
func (h *Repository) UserName() string {
	if h == nil {
		return ""
	}
	settings, err := h.repo.ConfigScoped(config.SystemScope)
	if err != nil {
		return ""
	}
	return cmp.Or(settings.Author.Name, settings.User.Name)
}

// Inside returns the path of a file in the work tree, "deploy/prod.yaml", and false if the file is elsewhere.
func (h *Repository) Inside(file string) (string, bool) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		dir = filepath.Dir(abs) // it may have stood there at another commit
	}
	below, err := filepath.Rel(h.Root, filepath.Join(dir, filepath.Base(abs)))
	return filepath.ToSlash(below), err == nil && !h.Bare && filepath.IsLocal(below)
}
