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
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// checkPlan plans HEAD with and without a change, and returns an error with the mistakes that only the change brings: the
// controllers would reject the commit.
func (f *Flags) checkPlan(ctx context.Context, h *gitrepo.Repository, c gitrepo.Change) error {
	cache, err := (&load.Flags{}).Cache()
	if err != nil {
		return err
	}
	head, err := h.HeadFiles(ctx, cache)
	if err != nil {
		return fmt.Errorf("reading HEAD: %w", err)
	}
	var errs []error
	for _, fed := range federationsOf(head, h, c.File) {
		before, planned := mistakesIn(fed.Federation, head)
		after, stillPlanned := mistakesIn(fed.Federation, c.Overlay(head))
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

// mistakesIn plans the files of a Federation. It returns the errors in its manifests; planned is false if there is no plan.
func mistakesIn(fed *v1alpha1.Federation, files fs.FS) (found []propagate.Finding, planned bool) {
	checkouts := make([]load.Checkout, len(fed.Spec.Sources))
	for i := range checkouts {
		checkouts[i].Files = files
	}
	t := load.NewTree(fed, checkouts)
	err := t.Mistakes
	t.Input.Now = time.Now()
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
	return check.Run(t.Input, plan), true
}

// federationInGit is a Federation of this repository, and the file with its manifest; empty without a manifest.
type federationInGit struct {
	*v1alpha1.Federation
	file string
}

// federationsOf returns the Federations whose manifests are in this repository, each with its sources here. If no source has the
// file, the last one has all files of the repository.
func federationsOf(files fs.FS, h *gitrepo.Repository, file string) []federationInGit {
	var all []federationInGit
	delivered := false
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // it only collects
		if err != nil || !entry.Type().IsRegular() || path.Ext(name) != ".yaml" && path.Ext(name) != ".yml" {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil || !strings.Contains(string(text), "kind: Federation") {
			return nil
		}
		objects, err := load.ParseManifests(name, text)
		if err != nil {
			return nil
		}
		fed, _, err := load.SelectFederation(name, objects)
		if err != nil {
			return nil
		}
		here := fed.Spec.Sources[:0]
		for _, s := range fed.Spec.Sources {
			if h.IsRemote(s.URL) {
				s.Path = path.Clean(s.Path)
				here, delivered = append(here, s), delivered || within(s.Path, file)
			}
		}
		if fed.Spec.Sources = here; len(here) > 0 {
			all = append(all, federationInGit{fed, name})
		}
		return nil
	})
	if delivered {
		return all
	}
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name, fed.Spec.Sources = "default", gitrepo.RepositoryName(h.Root), []v1alpha1.Source{{Path: "."}}
	return append(all, federationInGit{Federation: fed})
}

// within reports whether a file is below a directory.
func within(dir, file string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }
