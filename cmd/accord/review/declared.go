package review

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
)

// selection is the Federations that plan --all plans.
type selection struct {
	*load.Declarations
	base, head string    // labels
	each       []Options // for each Federation
}

// selectAll finds the Federations whose manifests head has, and those of the hub, with a source in the repository.
func (f *Options) selectAll(ctx context.Context) (*selection, error) {
	p, h := f.opened.states, f.opened.repository
	if h == nil || h.Bare {
		return nil, errors.New("--all needs a Git repository with a working tree: clone it, and run accord plan in the clone")
	}
	var before []load.DeclaredFederation
	if p.base.label != "" {
		before = load.DeclaredFederations(p.base.Files)
	}
	d, err := load.Declared(before, load.DeclaredFederations(p.head.Files), p.head.label, h)
	if err != nil {
		return nil, err
	}
	all := &selection{Declarations: d, base: p.base.label, head: p.head.label}
	for _, at := range d.Here {
		all.each = append(all.each, f.of(filepath.Join(p.dir, filepath.FromSlash(at.File)), at.Federation))
	}
	onHub, err := f.onHub(ctx, h)
	if err != nil {
		return nil, err
	}
	for i := range onHub {
		if !d.Has(&onHub[i]) {
			all.each = append(all.each, f.of(onHub[i].Namespace+"/"+onHub[i].Name, nil))
		}
	}
	if len(all.each)+len(d.Removed) == 0 {
		return nil, fmt.Errorf("neither %s nor the hub has a Federation with a source in this repository (its remotes: %s): remove --all, or select one with --federation",
			all.head, strings.Join(gitrepo.DisplayURLs(h.Remotes()), ", "))
	}
	return all, nil
}

// onHub returns the Federations of the hub with a source in the repository; none without a hub.
func (f *Options) onHub(ctx context.Context, h *gitrepo.Repository) ([]v1alpha1.Federation, error) {
	if f.Hub.Path() == "" {
		return nil, nil
	}
	to, err := f.Hub.Connect()
	if err != nil {
		return nil, err
	}
	return load.FederationsOf(ctx, to, h)
}

// of returns the options for one Federation: a name on the hub, or a manifest with what it declares.
func (f *Options) of(name string, declared *v1alpha1.Federation) Options {
	one := *f
	one.Instance, one.Tree.FederationName, one.Tree.Declared = "", name, declared
	return one
}
