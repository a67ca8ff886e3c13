package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// checkPlan plans HEAD with and without a change, and returns an error with the mistakes that only the change brings: the
// controllers would reject the commit. A refusal of the Tenant counts as a mistake.
func (f *Flags) checkPlan(ctx context.Context, h *gitrepo.Repository, c gitrepo.Change) error {
	cache, err := (&load.Flags{}).Cache()
	if err != nil {
		return err
	}
	head, err := h.HeadFiles(ctx, cache)
	if err != nil {
		return fmt.Errorf("reading HEAD: %w", err)
	}
	k, onHub, err := f.tenantFacts(ctx, h)
	if err != nil {
		fmt.Fprintln(f.invoked.ErrOrStderr(), "not checked against the Tenants of the hub: "+text.Printable(err.Error()))
	}
	var errs []error
	for _, fed := range federationsOf(head, h, c.File, onHub) {
		g, err := f.facts.Governance(fed.Federation, k)
		if err != nil {
			return err
		}
		base := treeOf(fed.Federation, head)
		before, planned := mistakesIn(base, base, g, k)
		after, stillPlanned := mistakesIn(base, treeOf(fed.Federation, c.Overlay(head)), g, k)
		if !planned && stillPlanned {
			continue // the findings were unknown before
		}
		for _, x := range check.Blocking(before, after) {
			message := x.Message
			if x.Fix != "" {
				message += ": " + x.Fix
			}
			errs = append(errs, &manifest.Error{Origin: x.At, Message: message + " [" + x.Code + "]"})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("nothing was written, because the controllers would reject the commit: %w", errors.Join(errs...))
}

// tenantFacts returns the Clusters and the Tenants of the hub, or of the file with its facts; nil without either. feds are the
// Federations of the hub with a source in this repository.
func (f *Flags) tenantFacts(ctx context.Context, h *gitrepo.Repository) (k *load.HubSnapshot, feds []v1alpha1.Federation, err error) {
	switch {
	case f.facts.FleetFile != "":
		k, err = load.ReadFleetFile(f.facts.FleetFile, &v1alpha1.Federation{})
		return k, nil, err
	case f.hub.Path() == "":
		return nil, nil, nil
	}
	to, err := f.hub.Connect()
	if err != nil {
		return nil, nil, err
	}
	if k, err = load.ClustersOf(ctx, to); err != nil {
		return nil, nil, err
	}
	feds, err = load.FederationsOf(ctx, to, h)
	return k, feds, err
}

// treeOf builds the files of a Federation.
func treeOf(fed *v1alpha1.Federation, files fs.FS) *load.Tree {
	checkouts := make([]load.Checkout, len(fed.Spec.Sources))
	for i := range checkouts {
		checkouts[i].Files = files
	}
	return load.NewTree(fed, checkouts, nil)
}

// mistakesIn plans a tree that was base before. It returns the errors in its manifests and the refusals of the Tenant, as errors that
// block only if the change brings them; planned is false if there is no plan.
func mistakesIn(base, t *load.Tree, g load.Governance, k *load.HubSnapshot) (found []propagate.Finding, planned bool) {
	err := t.Mistakes
	t.Input.Now = time.Now()
	t.Input.Fleet = k.Fleet(base, t, g.Declarer())
	t.Govern(g)
	var plan *propagate.Plan
	if err == nil {
		plan, err = propagate.New(t.Input)
	}
	if err != nil {
		found, rest := check.Mistakes(err)
		if rest != nil {
			found = append(found, propagate.Finding{Severity: propagate.Error, Code: "invalid", Message: rest.Error()})
		}
		return found, false
	}
	found = check.Run(t.Input, plan)
	for _, x := range t.Refusals(plan, false) {
		x.Unconditional = false
		found = append(found, x)
	}
	return found, true
}

// federationInGit is a Federation of this repository, and the file with its manifest; empty without a manifest.
type federationInGit struct {
	*v1alpha1.Federation
	file string
}

// federationsOf returns the Federations whose manifests are in this repository, or else those of the hub, each with its sources here. If
// no source has the file, the last one has all files of the repository.
func federationsOf(files fs.FS, h *gitrepo.Repository, file string, onHub []v1alpha1.Federation) []federationInGit {
	var all []federationInGit
	delivered := false
	add := func(fed *v1alpha1.Federation, name string) {
		here := fed.Spec.Sources[:0]
		for _, s := range fed.Spec.Sources {
			if h.Serves(s.URL) {
				s.Path = path.Clean(s.Path)
				here, delivered = append(here, s), delivered || within(s.Path, file)
			}
		}
		if fed.Spec.Sources = here; len(here) > 0 {
			all = append(all, federationInGit{fed, name})
		}
	}
	for _, d := range load.DeclaredFederations(files) {
		if d.Err == nil {
			add(d.Federation, d.File)
		}
	}
	if len(all) == 0 {
		for i := range onHub {
			add(&onHub[i], "")
		}
	}
	if delivered {
		return all
	}
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name, fed.Spec.Sources = "default", gitrepo.RepositoryName(h.Root), []v1alpha1.Source{{Path: "."}}
	return append(all, federationInGit{Federation: fed})
}

// within reports whether a file is below a directory.
func within(dir, file string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }
