package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source"
)

// A pair is the two sides of a comparison, read and not yet planned.
type pair struct {
	base, head *side
	// notes are what somebody who reads the comparison has to know about the sides.
	notes []string
	// near is where the paths of manifests begin, as seen from where accord was called; empty for a repository at a URL.
	near string
	end  func()
}

// read finds the two states, the Federation of each, and builds the manifests. A mistake in a manifest is no error here.
func (f *reviewOptions) read(ctx context.Context, dir string) (*pair, error) {
	p, h, err := f.states(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := f.federations(p, h, dir); err != nil {
		p.end()
		return nil, err
	}
	below := "."
	if h != nil && (f.ownPaths || f.tree.known == nil && f.tree.federation == "") {
		below = h.below // those of a Federation begin at the root
	}
	for _, s := range []*side{p.base, p.head} {
		if s.nothing() {
			continue
		}
		others, err := f.others(ctx, s.federation, h)
		if err != nil {
			p.end()
			return nil, err
		}
		s.read(others, below, s == p.base)
		s.tree.dir = p.near
	}
	return p, nil
}

// states are the two sides without their manifests; the history is nil for a repository at a URL.
func (f *reviewOptions) states(ctx context.Context, dir string) (*pair, *history, error) {
	switch {
	case dir != "" && f.tree.repo != "":
		return nil, nil, errors.New("a directory and --repo: which of the two?")
	case f.tree.repo != "" && f.base == "":
		return nil, nil, errors.New("--base is required with --repo: what to compare with")
	}
	at := f.tree.repo
	if at == "" {
		at = dir
	} else if info, err := os.Stat(at); err != nil || !info.IsDir() {
		p, err := f.remoteStates(ctx)
		return p, nil, err
	}
	if at == "" {
		at = "."
	}
	h, err := openHistory(at)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.localStates(ctx, h)
	return p, h, err
}

// remoteStates are those of a repository at a URL, which is asked for two commits and not for its history.
func (f *reviewOptions) remoteStates(ctx context.Context) (*pair, error) {
	p := &pair{end: func() {}}
	for _, s := range []struct {
		side **side
		rev  string
	}{{&p.base, f.base}, {&p.head, f.head}} {
		c, label, err := f.fetchRevision(ctx, s.rev)
		if err != nil {
			return nil, err
		}
		*s.side = &side{checkout: c, label: label}
	}
	return p, nil
}

// fetchRevision reads a whole commit, a branch or a tag, in this order; the default branch when nothing is named.
func (f *reviewOptions) fetchRevision(ctx context.Context, rev string) (checkout, string, error) {
	if strings.ContainsAny(rev, "~^@:") {
		return checkout{}, "", fmt.Errorf("revision %q: of a repository at a URL, name a branch, a tag or a whole commit", rev)
	}
	refs := []*v1alpha1.Ref{{Branch: rev}, {Tag: rev}}
	if _, commit, err := source.ParseRevision(rev); err == nil {
		refs = []*v1alpha1.Ref{{Commit: commit}}
	}
	var errs []error
	for _, ref := range refs {
		c, err := f.tree.fetch(ctx, v1alpha1.Source{URL: f.tree.repo, Ref: ref})
		if err == nil {
			pointer, commit, err := source.ParseRevision(c.revision)
			return c, commitLabel(pointer, commit), err
		}
		errs = append(errs, err)
		if !errors.Is(err, source.ErrRefNotFound) {
			break
		}
	}
	return checkout{}, "", errs[0]
}

// localStates are those of a repository on this machine.
func (f *reviewOptions) localStates(ctx context.Context, h *history) (*pair, error) {
	p := &pair{base: &side{}, head: &side{}, end: func() {}, near: h.root}
	if here, err := filepath.Abs("."); err == nil {
		if near, err := filepath.Rel(here, h.root); err == nil {
			p.near = filepath.ToSlash(near)
		}
	}
	if h.empty() && f.base == "" {
		p.notes = append(p.notes, "there is no commit yet: everything is new")
	} else if err := f.readCommit(ctx, h, p.base, f.base); err != nil {
		return nil, err
	}
	if f.head != "" || f.tree.repo != "" {
		if err := f.readCommit(ctx, h, p.head, f.head); err != nil {
			return nil, err
		}
	} else if err := p.readWorktree(h); err != nil {
		return nil, err
	}
	p.noteMissing()
	return p, nil
}

// readCommit reads the files of a revision; HEAD when none is named.
func (f *reviewOptions) readCommit(ctx context.Context, h *history, s *side, rev string) error {
	if rev == "" {
		rev = "HEAD"
	}
	commit, err := h.commit(rev)
	if err != nil {
		return err
	}
	cache, err := f.tree.clones()
	if err != nil {
		return err
	}
	files, err := h.files(ctx, cache, commit.Hash)
	if err != nil {
		return fmt.Errorf("reading revision %q: %w", rev, err)
	}
	s.checkout = checkout{files.FS, files.Revision, files.Message}
	s.label, s.commit = commitLabel(rev, files.Commit), commit
	return nil
}

func (p *pair) readWorktree(h *history) error {
	if h.bare {
		return errors.New("this Git repository has no working tree: --head is required")
	}
	files, end, err := openDirectory(h.root)
	if err != nil {
		return err
	}
	p.head.checkout, p.head.label, p.end = files, worktreeLabel, end
	if !h.empty() {
		p.head.commit, err = h.commit("HEAD")
	}
	return err
}

// noteMissing says when head was not made on top of base.
func (p *pair) noteMissing() {
	if p.base.commit == nil || p.head.commit == nil {
		return
	}
	n, known := missing(p.base.commit, p.head.commit)
	switch {
	case !known:
		p.notes = append(p.notes, "this clone does not reach far enough back to tell whether base has commits that head does not have")
	case n == 1:
		p.notes = append(p.notes, "base has 1 commit that head does not have: its changes are shown backwards")
	case n > 1:
		p.notes = append(p.notes, fmt.Sprintf("base has %d commits that head does not have: their changes are shown backwards", n))
	}
}

// federations finds the Federation of each side: what the hub said, the manifest as it is on that side when it lies in
// the repository, or what "accord apply --once" would make up.
func (f *reviewOptions) federations(p *pair, h *history, dir string) error {
	if f.tree.known == nil && f.tree.federation != "" && h != nil {
		if file, inside := h.inside(f.tree.federation); inside {
			return p.readFederations(f.tree.federation, file)
		}
	}
	fed, err := f.tree.declared(dir)
	if err != nil {
		return err
	}
	for _, s := range []*side{p.base, p.head} {
		s.federation = fed
		if f.tree.federation != "" && f.tree.known == nil {
			if s.health, err = healthIn(f.tree.federation); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pair) readFederations(asked, file string) error {
	if err := p.head.readFederation(file); err != nil {
		return err
	}
	if p.head.federation == nil {
		return fmt.Errorf("%s is not in %s: a Federation that is removed is deleted on the hub, and is no change of its manifests", asked, p.head.label)
	}
	if p.base.label == "" {
		return nil
	}
	err := p.base.readFederation(file)
	switch {
	case err != nil: // head may be what repairs it
		p.base.federation = nil
		p.notes = append(p.notes, err.Error()+"; everything counts as new")
	case p.base.federation == nil:
		p.notes = append(p.notes, fmt.Sprintf("there is no %s in %s: everything counts as new", file, p.base.label))
	}
	return nil
}

// others fetches the sources that are in other repositories than the one whose states are compared: they are the same on
// both sides. Sources that are all of one repository are taken to be of this one, whatever it is called here.
func (f *reviewOptions) others(ctx context.Context, fed *v1alpha1.Federation, h *history) (map[int]checkout, error) {
	sources := fed.Spec.Sources
	if !slices.ContainsFunc(sources, func(s v1alpha1.Source) bool { return s.URL != sources[0].URL }) {
		return nil, nil
	}
	here := h.remotes()
	if f.tree.repo != "" {
		here = append(here, f.tree.repo)
	}
	others := map[int]checkout{}
	for i, s := range sources {
		if slices.ContainsFunc(here, func(url string) bool { return sameRepository(url, s.URL) }) {
			continue
		}
		c, err := f.tree.fetch(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
		others[i] = c
	}
	if len(others) == len(sources) {
		return nil, fmt.Errorf("none of the sources of federation %s is this repository (its remotes: %s)", fed.Name, strings.Join(places(here), ", "))
	}
	return others, nil
}
