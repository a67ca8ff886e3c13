package load

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Views reads the trees that lint checks, with their facts, and writes the requested dump. At the root of a repository, and if no
// flag selects paths or a Federation, it reads one tree for each Federation of the hub with a source in the repository. Otherwise
// it reads one tree, as Read does.
func (f *Flags) Views(ctx context.Context, dir string, live *LiveHub, ownPaths bool) ([]*Tree, error) {
	if live != nil && hub.Transient(live.Err) {
		return nil, live.Err
	}
	var feds []v1alpha1.Federation
	h, err := gitrepo.Open(dir)
	if err == nil && live != nil && !ownPaths && f.Repo == "" && f.FederationName == "" && h.Below == "." && !h.Bare {
		if feds, err = FederationsOf(ctx, live.Hub, h); err != nil {
			return nil, err
		}
	}
	if len(feds) == 0 {
		t, err := f.view(ctx, dir, live)
		return []*Tree{t}, err
	}
	if f.Dump != "" && len(feds) > 1 {
		return nil, errors.New("--dump is for one Federation, and several have a source in this repository: select one with --federation")
	}
	var all []*Tree
	for i := range feds {
		one := *f
		one.Found, one.here = &feds[i], h
		t, err := one.view(ctx, dir, &LiveHub{Hub: live.Hub, Federation: &feds[i]})
		if err != nil {
			return nil, fmt.Errorf("federation %s/%s: %w", feds[i].Namespace, feds[i].Name, err)
		}
		var paths []string
		for _, s := range feds[i].Spec.Sources {
			if h.Serves(s.URL) {
				paths = append(paths, path.Clean(s.Path))
			}
		}
		t.Federation = fmt.Sprintf("%s/%s (%s)", feds[i].Namespace, feds[i].Name, strings.Join(paths, ", "))
		all = append(all, t)
	}
	return all, nil
}

// view reads one tree with its facts.
func (f *Flags) view(ctx context.Context, dir string, live *LiveHub) (*Tree, error) {
	t, err := f.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := f.AddFacts(ctx, dir, t, live); err != nil {
		return nil, err
	}
	return t, f.WriteDump(t)
}

// FederationsOf returns the Federations of the hub with a source in a repository.
func FederationsOf(ctx context.Context, h *hub.Hub, repo *gitrepo.Repository) ([]v1alpha1.Federation, error) {
	all, err := h.Federations(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(fed v1alpha1.Federation) bool { return !hub.HasSourceIn(&fed, repo) }), nil
}

// checkoutsHere reads the sources of the repository in dir, and fetches the others.
func (f *Flags) checkoutsHere(ctx context.Context, dir string, sources []v1alpha1.Source) ([]Checkout, func(), error) {
	local, end, err := OpenDirectory(dir)
	if err != nil {
		return nil, nil, err
	}
	all := make([]Checkout, len(sources))
	for i, s := range sources {
		if f.here.Serves(s.URL) {
			all[i] = local
			continue
		}
		if all[i], err = f.Fetch(ctx, s, f.here); err != nil {
			end()
			return nil, nil, fmt.Errorf("source %q: %w", s.Name, err)
		}
	}
	return all, end, nil
}
