// Package load builds the planner's input, and its plan, from a directory, a repository or a Federation.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
)

// Flags select the manifests: those of a directory, of a repository, or of a Federation.
type Flags struct {
	Repo           string
	ref            v1alpha1.Ref
	Paths          []string
	FederationName string
	// Declared is the Federation in the file FederationName if its commit may differ from the directory; nil: the file is read.
	Declared *v1alpha1.Federation
	cacheDir string
	Dump     string
	// FleetFile is the file with the objects of the hub.
	FleetFile string
	// Tenants is the file with the Tenants; empty for those of the hub.
	Tenants string
	// Found is the Federation if it was read from a hub.
	Found *v1alpha1.Federation
	// Live reads live clusters; nil: the command reads none.
	Live *Live
	// here is the repository of the directory if the sources in it are read there; nil if all sources are.
	here *gitrepo.Repository
	// stderr returns the writer for progress; nil if the flags are not those of a command.
	stderr func() io.Writer
}

func (f *Flags) Register(c *cobra.Command) {
	RegisterRef(c, &f.ref)
	f.RegisterPlaces(c)
}

// RegisterPlaces registers all flags except those that select a commit.
func (f *Flags) RegisterPlaces(c *cobra.Command) {
	flags := c.Flags()
	f.stderr = c.ErrOrStderr
	flags.StringVar(&f.Repo, "repo", "", "repository to read in place of a directory: a URL (credentials as for \"accord deliver\"), or a local path")
	flags.StringSliceVar(&f.Paths, "path", []string{"."}, "directory in it, as the path of a source (repeatable)")
	flags.StringVarP(&f.FederationName, "federation", "f", "", "manifest of the Federation, with its name, paths and skip rules")
	c.MarkFlagsMutuallyExclusive("path", "federation")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones (default below the user's cache directory)")
	f.Live = &Live{}
	f.Live.Register(flags)
	flags.StringVar(&f.Tenants, "tenants", "", TenantsUsage)
	flags.StringVar(&f.Dump, "dump", "", "file for the planner's input, for a bug report or a test")
}

// Progress returns the line of a long step, which shows nothing if the flags are not those of a command.
func (f *Flags) Progress(step string) *text.ProgressLine {
	if f.stderr == nil {
		return &text.ProgressLine{}
	}
	return text.NewProgressLine(f.stderr(), step)
}

// RegisterRef registers the flags that select a commit of a repository.
func RegisterRef(c *cobra.Command, ref *v1alpha1.Ref) {
	flags := c.Flags()
	flags.StringVar(&ref.Branch, "branch", "", "branch (default that of the repository)")
	flags.StringVar(&ref.Tag, "tag", "", "tag")
	flags.StringVar(&ref.SemVer, "semver", "", "highest tag in this range")
	flags.StringVar(&ref.Commit, "commit", "", "commit, all 40 digits")
	c.MarkFlagsMutuallyExclusive("tag", "semver", "commit")
}

// Tree is all manifests of a federation at one revision.
type Tree struct {
	Parts decode.Parts
	// Input is complete only without mistakes.
	Input propagate.Input
	// Mistakes are the errors in single manifests: joined errors, each a *manifest.Error.
	Mistakes error
	// Federation is the Federation of the hub whose view this is, "default/prod (apps, policies)"; empty if none was looked up.
	Federation string
	// Failover is spec.failover of the Federation; nil without it.
	Failover *v1alpha1.Failover
	// Dir is the directory in which the paths of manifests begin, relative to the current one; empty for a repository.
	Dir string

	governance Governance
	// size has the objects and bytes of the manifests.
	size *render.Budget
}

// Read builds and sorts the manifests. An empty dir is the current directory. The error is not about a manifest.
func (f *Flags) Read(ctx context.Context, dir string) (*Tree, error) {
	if f.Repo == "" && f.ref != (v1alpha1.Ref{}) {
		return nil, errors.New("--branch, --tag, --semver and --commit require --repo")
	}
	fed, err := f.Federation(dir)
	if err != nil {
		return nil, err
	}
	checkouts, end, err := f.checkouts(ctx, dir, fed)
	if err != nil {
		return nil, err
	}
	defer end()
	line := f.Progress("rendering")
	line.Start()
	t := NewTree(fed, checkouts, nil)
	line.End()
	if f.Repo == "" {
		t.Dir = dir
	}
	return t, f.resolveHealthLines(t)
}

// resolveHealthLines sets the places of the healthCheckExprs of a Federation that is a file, relative to the tree.
func (f *Flags) resolveHealthLines(t *Tree) error {
	if f.FederationName == "" || f.Found != nil {
		return nil
	}
	health, err := ReadHealth(f.FederationName)
	for i := range health {
		if below, err := filepath.Rel(filepath.Join(t.Dir, "."), health[i].At.Path); err == nil {
			health[i].At.Path = filepath.ToSlash(below)
		}
	}
	t.Input.Health = health
	return err
}

// Federation returns the named Federation, or the one that "accord deliver" would create for the directory or repository, so that
// the rendered objects are identical.
func (f *Flags) Federation(dir string) (*v1alpha1.Federation, error) {
	switch {
	case f.Found != nil:
		return f.Found, nil
	case f.FederationName != "":
		return readFederation(f.FederationName)
	}
	name := f.Repo
	if name == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("resolving the directory: %w", err)
		}
		name = filepath.ToSlash(abs)
	}
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name, fed.Spec.Sources = "default", gitrepo.RepositoryName(name), f.sources()
	return fed, nil
}

// sources returns one source for each --path. The sources have no name: they are of one repository, and the path identifies
// them.
func (f *Flags) sources() []v1alpha1.Source {
	all := make([]v1alpha1.Source, len(f.Paths))
	for i, p := range f.Paths {
		all[i].Path = p
	}
	if f.Live.Named() {
		all = append(all, v1alpha1.Source{Name: liveSource, Cluster: &v1alpha1.ClusterSource{Name: liveSource}})
	}
	return all
}

// NewTree builds every source and sorts the manifests. builds may be nil; it never changes the tree.
func NewTree(fed *v1alpha1.Federation, checkouts []Checkout, builds *Builds) *Tree {
	var objects []render.Object
	var errs []error
	size := render.NewLedger()
	for i, s := range fed.Spec.Sources {
		if checkouts[i].Files == nil {
			continue
		}
		built, err := builds.build(fed, i, checkouts[i].Files, render.Options{Source: sourceName(fed, i), Dir: s.Path, Budget: size})
		objects, errs = append(objects, built...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &Tree{Mistakes: err}
	}
	parts, err := decode.Sort(objects)
	if err == nil && fed.Spec.DeclareFederations {
		parts, err = parts.WithFederations()
	}
	t := &Tree{Parts: parts, Mistakes: err, Input: parts.Input().WithFederation(fed), Failover: fed.Spec.Failover, size: size}
	t.Input.Revision = checkouts[0].Revision
	return t
}

// DisplayPath returns the path of a manifest relative to the current directory, so that an editor can open it.
func (t *Tree) DisplayPath(p string) string {
	if p == "" {
		return ""
	}
	return path.Join(filepath.ToSlash(t.Dir), p)
}

// RelativePath is DisplayPath for tools that only accept paths below the current directory. It returns other paths unchanged.
func (t *Tree) RelativePath(p string) string {
	near := t.DisplayPath(p)
	here, err := filepath.Abs(".")
	if err != nil || !filepath.IsAbs(near) {
		return near
	}
	if below, err := filepath.Rel(here, near); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return near
}
