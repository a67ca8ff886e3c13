package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
)

// treeFlags say which manifests are looked at: those of a directory, of a repository, or of a Federation.
type treeFlags struct {
	repo       string
	ref        v1alpha1.Ref
	paths      []string
	federation string
	cacheDir   string
	dump       string
	// known is the Federation when it was found elsewhere than in a file.
	known *v1alpha1.Federation
}

func (f *treeFlags) register(c *cobra.Command) {
	registerRef(c, &f.ref)
	f.registerPlaces(c)
}

// registerPlaces is register for a command that says in its own words which commit it reads.
func (f *treeFlags) registerPlaces(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.repo, "repo", "", "repository in place of a directory: a URL (credentials as for \"accord apply\"), or the path of a local one")
	flags.StringSliceVar(&f.paths, "path", []string{"."}, "directory in it to read, as the path of a source (repeatable)")
	flags.StringVarP(&f.federation, "federation", "f", "", "manifest of the Federation, whose name, paths and skips count")
	c.MarkFlagsMutuallyExclusive("path", "federation")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones (default below the user's cache directory)")
	flags.StringVar(&f.dump, "dump", "", "write the planner's whole input to this file, for a bug report or a test")
}

// registerRef is for commands that read a repository.
func registerRef(c *cobra.Command, ref *v1alpha1.Ref) {
	flags := c.Flags()
	flags.StringVar(&ref.Branch, "branch", "", "branch (default that of the repository)")
	flags.StringVar(&ref.Tag, "tag", "", "tag")
	flags.StringVar(&ref.SemVer, "semver", "", "highest tag in this range")
	flags.StringVar(&ref.Commit, "commit", "", "commit, all 40 digits")
	c.MarkFlagsMutuallyExclusive("tag", "semver", "commit")
}

// A tree is one state of all manifests of a federation.
type tree struct {
	parts propagate.Parts
	// input is whole only without mistakes.
	input propagate.Input
	// mistakes are what is wrong with single manifests: joined errors, each a *manifest.Error.
	mistakes error
	// dir is where the paths of manifests begin, as seen from where accord was called; empty for a repository.
	dir string
}

// read builds and sorts the manifests. dir is empty when no directory was named. The error is not about a manifest.
func (f *treeFlags) read(ctx context.Context, dir string) (*tree, error) {
	if f.repo == "" && f.ref != (v1alpha1.Ref{}) {
		return nil, errors.New("--branch, --tag, --semver and --commit choose from --repo: a directory is read as it stands")
	}
	fed, err := f.declared(dir)
	if err != nil {
		return nil, err
	}
	checkouts, end, err := f.checkouts(ctx, dir, fed)
	if err != nil {
		return nil, err
	}
	defer end()
	t := newTree(fed, checkouts)
	if f.repo == "" {
		t.dir = dir
	}
	return t, f.placeHealth(t)
}

// placeHealth gives the health expressions of a Federation that is a file their lines, as seen from the tree.
func (f *treeFlags) placeHealth(t *tree) error {
	if f.federation == "" || f.known != nil {
		return nil
	}
	health, err := healthIn(f.federation)
	for i := range health {
		if below, err := filepath.Rel(filepath.Join(t.dir, "."), health[i].At.Path); err == nil {
			health[i].At.Path = filepath.ToSlash(below)
		}
	}
	t.input.Health = health
	return err
}

// declared is the Federation that is named, or the one that "accord apply --once" would make of the directory or
// repository: what is rendered is the same to the byte.
func (f *treeFlags) declared(dir string) (*v1alpha1.Federation, error) {
	switch {
	case f.known != nil:
		return f.known, nil
	case f.federation != "":
		return readFederation(f.federation)
	}
	name := f.repo
	if name == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("resolving the directory: %w", err)
		}
		name = filepath.ToSlash(abs)
	}
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name, fed.Spec.Sources = "default", repositoryName(name), f.sources()
	return fed, nil
}

// sources are one for each --path, without a name: they are of one repository, so a path says all.
func (f *treeFlags) sources() []v1alpha1.Source {
	all := make([]v1alpha1.Source, len(f.paths))
	for i, p := range f.paths {
		all[i].Path = p
	}
	return all
}

// newTree builds every source and sorts what is in them.
func newTree(fed *v1alpha1.Federation, checkouts []checkout) *tree {
	var objects []render.Object
	var errs []error
	for i, s := range fed.Spec.Sources {
		name := s.Name
		if len(fed.Spec.Sources) == 1 {
			name = ""
		}
		if checkouts[i].files == nil {
			continue
		}
		built, err := render.Build(checkouts[i].files, render.Options{Source: name, Dir: s.Path})
		objects, errs = append(objects, built...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &tree{mistakes: err}
	}
	parts, err := propagate.Sort(objects)
	t := &tree{parts: parts, mistakes: err, input: parts.Input().WithFederation(fed)}
	t.input.Revision = checkouts[0].revision
	return t
}

// near is the path of a manifest as seen from where accord was called, so that an editor can jump there.
func (t *tree) near(p string) string {
	if p == "" {
		return ""
	}
	return path.Join(filepath.ToSlash(t.dir), p)
}

// relative is near for tools that take paths below the current directory only, as far as there is such a path.
func (t *tree) relative(p string) string {
	near := t.near(p)
	here, err := filepath.Abs(".")
	if err != nil || !filepath.IsAbs(near) {
		return near
	}
	if below, err := filepath.Rel(here, near); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return near
}
