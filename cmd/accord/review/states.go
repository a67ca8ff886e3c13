package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/plancache"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/source"
)

// comparison is the two sides before they are planned.
type comparison struct {
	base, head *side
	// decoded is set if an earlier run decoded files of base.
	decoded bool
	// notes are facts about the sides that a reader needs.
	notes []string
	// dir is the directory in which the paths of manifests begin, relative to the current one; empty for a repository at a URL.
	dir string
	end func()
}

// opened is the two states of a repository, which the reviews of several Federations share.
type opened struct {
	states     *comparison
	repository *gitrepo.Repository
}

// open opens the states for all reviews of f and of copies of it, until end is called.
func (f *Options) open(ctx context.Context, dir string) (end func(), err error) {
	p, h, err := f.states(ctx, dir, &load.Builds{})
	if err != nil {
		return nil, err
	}
	f.opened = &opened{p, h}
	return p.end, nil
}

// comparison returns the sides for one review.
func (o *opened) comparison() *comparison {
	p := *o.states
	base, head := *p.base, *p.head
	p.base, p.head, p.notes, p.end = &base, &head, slices.Clone(p.notes), func() {}
	return &p
}

// read finds the two states and the Federation of each, and builds the manifests. A mistake in a manifest is not an error here.
// store, which may be nil, has results of earlier runs.
func (f *Options) read(ctx context.Context, dir string, store *plancache.Store) (*comparison, error) {
	builds := &load.Builds{Store: store}
	p, h, err := f.states(ctx, dir, builds)
	if err != nil {
		return nil, err
	}
	if err := f.federations(p, h, dir); err != nil {
		p.end()
		return nil, err
	}
	below := f.below(h)
	for _, s := range []*side{p.base, p.head} {
		if s.isEmpty() {
			continue
		}
		others, err := f.others(ctx, p, s, h)
		if err != nil {
			p.end()
			return nil, err
		}
		line := f.Tree.Progress("rendering " + s.label)
		line.Start()
		s.read(others, below, s == p.base, builds)
		line.End()
		s.tree.Dir = p.dir
		if s == p.base {
			p.decoded = builds.Found()
			_ = builds.Save() // the next run decodes the files again
		}
	}
	return p, nil
}

// below returns the directory in which the paths of sources begin. Those of a Federation begin at the root.
func (f *Options) below(h *gitrepo.Repository) string {
	if h != nil && (f.OwnPaths || f.Tree.Found == nil && f.Tree.FederationName == "") {
		return h.Below
	}
	return "."
}

// states returns the two sides without their manifests. The repository is nil for a repository at a URL. The stored builds are read at
// the same time if the commits do not have the Federation.
func (f *Options) states(ctx context.Context, dir string, builds *load.Builds) (*comparison, *gitrepo.Repository, error) {
	switch {
	case f.opened != nil:
		f.prefetch(dir, f.opened.repository, builds)
		return f.opened.comparison(), f.opened.repository, nil
	case dir != "" && f.Tree.Repo != "":
		return nil, nil, errors.New("DIR and --repo are mutually exclusive")
	case f.Tree.Repo != "" && f.Base == "":
		return nil, nil, errors.New("--base is required with --repo")
	}
	at := f.Tree.Repo
	if at == "" {
		at = dir
	} else if info, err := os.Stat(at); err != nil || !info.IsDir() {
		p, err := f.remoteStates(ctx)
		return p, nil, err
	}
	if at == "" {
		at = "."
	}
	h, err := gitrepo.Open(at)
	if err != nil {
		return nil, nil, err
	}
	f.prefetch(dir, h, builds)
	p, err := f.localStates(ctx, h)
	return p, h, err
}

func (f *Options) prefetch(dir string, h *gitrepo.Repository, builds *load.Builds) {
	if f.Tree.Found != nil || f.Tree.FederationName == "" {
		if fed, err := f.Tree.Federation(dir); err == nil { // else federations returns the error
			builds.Prefetch(fed, f.below(h))
		}
	}
}

// remoteStates fetches two commits of a repository at a URL, without its history.
func (f *Options) remoteStates(ctx context.Context) (*comparison, error) {
	p := &comparison{end: func() {}}
	for _, s := range []struct {
		side **side
		rev  string
	}{{&p.base, f.Base}, {&p.head, f.Head}} {
		c, label, err := f.fetchRevision(ctx, s.rev)
		if err != nil {
			return nil, err
		}
		*s.side = &side{Checkout: c, label: label}
	}
	return p, nil
}

// fetchRevision fetches a commit, a branch or a tag, in this order. An empty revision is the default branch.
func (f *Options) fetchRevision(ctx context.Context, rev string) (load.Checkout, string, error) {
	if strings.ContainsAny(rev, "~^@:") {
		return load.Checkout{}, "", fmt.Errorf("revision %q: a repository at a URL accepts a branch, a tag or a whole commit", rev)
	}
	refs := []*v1alpha1.Ref{{Branch: rev}, {Tag: rev}}
	if _, commit, err := source.ParseRevision(rev); err == nil {
		refs = []*v1alpha1.Ref{{Commit: commit}}
	}
	var errs []error
	for _, ref := range refs {
		c, err := f.Tree.Fetch(ctx, v1alpha1.Source{URL: f.Tree.Repo, Ref: ref}, nil)
		if err == nil {
			pointer, commit, err := source.ParseRevision(c.Revision)
			return c, commitLabel(pointer, commit), err
		}
		errs = append(errs, err)
		if !errors.Is(err, source.ErrRefNotFound) {
			break
		}
	}
	return load.Checkout{}, "", errs[0]
}

// localStates returns the sides of a repository on this machine.
func (f *Options) localStates(ctx context.Context, h *gitrepo.Repository) (*comparison, error) {
	p := &comparison{base: &side{}, head: &side{}, end: func() {}, dir: h.Root}
	if here, err := filepath.Abs("."); err == nil {
		if near, err := filepath.Rel(here, h.Root); err == nil {
			p.dir = filepath.ToSlash(near)
		}
	}
	cache, err := f.Tree.Cache() // one for both: the commits share what is equal
	if err != nil {
		return nil, err
	}
	if h.Empty() && f.Base == "" {
		p.notes = append(p.notes, "there is no commit yet: everything is new")
	} else if err := readCommit(ctx, h, cache, p.base, f.Base); err != nil {
		return nil, err
	}
	if f.Head != "" || f.Tree.Repo != "" {
		if err := readCommit(ctx, h, cache, p.head, f.Head); err != nil {
			return nil, err
		}
	} else if err := p.readWorktree(h); err != nil {
		return nil, err
	}
	p.noteMissing()
	return p, nil
}

// readCommit reads the files of a revision. An empty revision is HEAD.
func readCommit(ctx context.Context, h *gitrepo.Repository, cache *source.Cache, s *side, rev string) error {
	if rev == "" {
		rev = "HEAD"
	}
	commit, err := h.Commit(rev)
	if err != nil {
		return err
	}
	files, err := h.Files(ctx, cache, commit.Hash)
	if err != nil {
		return fmt.Errorf("reading revision %q: %w", rev, err)
	}
	s.Checkout = load.Checkout{Files: files.FS, Revision: files.Revision, Message: files.Message}
	s.label, s.commit = commitLabel(rev, files.Commit), commit
	return nil
}

func (p *comparison) readWorktree(h *gitrepo.Repository) error {
	if h.Bare {
		return errors.New("--head is required: this Git repository has no working tree")
	}
	files, end, err := load.OpenDirectory(h.Root)
	if err != nil {
		return err
	}
	p.head.Checkout, p.head.label, p.end = files, worktreeLabel, end
	if !h.Empty() {
		p.head.commit, err = h.Commit("HEAD")
	}
	return err
}

// noteMissing adds a note if head lacks commits of base.
func (p *comparison) noteMissing() {
	if p.base.commit == nil || p.head.commit == nil {
		return
	}
	n, known := gitrepo.MissingCommits(p.base.commit, p.head.commit)
	switch {
	case !known:
		p.notes = append(p.notes, "this clone does not reach far enough back to tell whether base has commits that head does not have")
	case n > 0:
		p.notes = append(p.notes, fmt.Sprintf("base has %s that head does not have: %s changes are shown backwards", phrase.Count(n, "commit"), phrase.Plural(n, "its", "their")))
	}
}

// federations sets the Federation of each side: the one of the hub, the manifest at that side if it is in the repository, or the
// one that "accord deliver" would create.
func (f *Options) federations(p *comparison, h *gitrepo.Repository, dir string) error {
	if f.Tree.Found == nil && f.Tree.FederationName != "" && h != nil {
		if file, inside := h.Inside(f.Tree.FederationName); inside {
			return p.readFederations(f.Tree.FederationName, file)
		}
	}
	fed, err := f.Tree.Federation(dir)
	if err != nil {
		return err
	}
	for _, s := range []*side{p.base, p.head} {
		s.federation = fed
		if f.Tree.FederationName != "" && f.Tree.Found == nil {
			if s.health, err = load.ReadHealth(f.Tree.FederationName); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *comparison) readFederations(asked, file string) error {
	if err := p.head.readFederation(file); err != nil {
		return err
	}
	if p.head.federation == nil {
		return fmt.Errorf("%s is not in %s: plan needs the Federation in head", asked, p.head.label)
	}
	if p.base.label == "" {
		return nil
	}
	err := p.base.readFederation(file)
	switch {
	case err != nil: // head may repair it
		p.base.federation = nil
		p.notes = append(p.notes, err.Error()+"; everything counts as new")
	case p.base.federation == nil:
		p.notes = append(p.notes, fmt.Sprintf("there is no %s in %s: everything counts as new", file, p.base.label))
	}
	return nil
}

// isKnown reports whether a source may be fetched: base has its URL, or the Federation is not part of the change.
func (p *comparison) isKnown(url string) bool {
	if p.base.federation == p.head.federation {
		return true
	}
	return p.base.federation != nil && slices.ContainsFunc(p.base.federation.Spec.Sources, func(s v1alpha1.Source) bool { return s.URL == url })
}

// others fetches the sources of other repositories and reads live clusters, which are the same on both sides. If all repositories have
// one URL, they are taken to be this one, whatever its remotes are. A source that only head has is not fetched, because head may be a
// pull request of anybody: a note names it.
func (f *Options) others(ctx context.Context, p *comparison, s *side, h *gitrepo.Repository) (map[int]load.Checkout, error) {
	others, err := f.live(ctx, p, s)
	if err != nil {
		return nil, err
	}
	fed := s.federation
	repositories := slices.DeleteFunc(slices.Clone(fed.Spec.Sources), func(s v1alpha1.Source) bool { return s.Cluster != nil })
	if !slices.ContainsFunc(repositories, func(s v1alpha1.Source) bool { return s.URL != repositories[0].URL }) {
		return others, nil
	}
	here := h.Remotes()
	if f.Tree.Repo != "" {
		here = append(here, f.Tree.Repo)
	}
	elsewhere := 0
	for i, s := range fed.Spec.Sources {
		if s.Cluster != nil || slices.ContainsFunc(here, func(url string) bool { return gitrepo.SameRepository(url, s.URL) }) {
			continue
		}
		elsewhere++
		if !p.isKnown(s.URL) {
			others[i] = load.Checkout{}
			p.notes = append(p.notes, fmt.Sprintf("source %q is only in head, and accord does not fetch it: the plan needs %s and lacks its objects",
				s.Name, gitrepo.DisplayURLs([]string{s.URL})[0]))
			continue
		}
		c, err := f.Tree.Fetch(ctx, s, h)
		if err != nil {
			return nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
		others[i] = c
	}
	if elsewhere == len(repositories) {
		return nil, fmt.Errorf("none of the sources of federation %s is this repository (its remotes: %s)", fed.Name, strings.Join(gitrepo.DisplayURLs(here), ", "))
	}
	return others, nil
}
