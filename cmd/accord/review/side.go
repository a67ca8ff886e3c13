package review

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// worktreeLabel is the label of uncommitted files.
const worktreeLabel = "the working tree"

// side is one of the two states that are compared.
type side struct {
	load.Checkout
	// label is "origin/main (4f2c9e1)", "the working tree". It is empty if there is no commit yet.
	label string
	// commit is the commit of the side, or HEAD of the working tree; nil for a repository at a URL, and before the first commit.
	commit *object.Commit

	federation *v1alpha1.Federation // nil: its manifest is not on this side
	health     []interpret.HealthExprs
	paths      []string // of the sources in this repository
	tree       *load.Tree
	plan       *propagate.Plan
}

// isEmpty reports whether the side has nothing to plan.
func (s *side) isEmpty() bool { return s.label == "" || s.federation == nil }

// commitLabel returns "main (4f2c9e1)", or "4f2c9e1" for a revision that is the commit itself.
func commitLabel(rev, commit string) string {
	digits := text.ShortRevision(commit)
	if len(rev) >= len(digits) && rev[:len(digits)] == digits {
		return digits
	}
	return fmt.Sprintf("%s (%s)", rev, digits)
}

// readFederation reads the Federation of this side: its manifest may be part of the change.
func (s *side) readFederation(file string) error {
	data, err := fs.ReadFile(s.Files, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the Federation of %s: %w", s.label, err)
	}
	objects, err := load.ParseManifests(file, data)
	if err != nil {
		return fmt.Errorf("reading the Federation of %s: %w", s.label, err)
	}
	var written render.Object
	if s.federation, written, err = load.SelectFederation(file, objects); err != nil {
		return fmt.Errorf("reading the Federation of %s: %w", s.label, err)
	}
	s.health = load.HealthOf(s.federation, written)
	return nil
}

// read builds and sorts the manifests of this side. others has the checkouts of sources in other repositories, by index; below
// is the directory in which the paths of this repository begin. Absent directories are empty if absent is true. builds has the other
// side's build, if it was read.
func (s *side) read(others map[int]load.Checkout, below string, absent bool, builds *load.Builds) {
	fed := s.federation.DeepCopy()
	checkouts := make([]load.Checkout, len(fed.Spec.Sources))
	for i := range fed.Spec.Sources {
		from, elsewhere := others[i]
		if !elsewhere {
			from = s.Checkout
			fed.Spec.Sources[i].Path = path.Join(below, fed.Spec.Sources[i].Path)
			s.paths = append(s.paths, fed.Spec.Sources[i].Path)
			if _, err := fs.Stat(from.Files, fed.Spec.Sources[i].Path); absent && errors.Is(err, fs.ErrNotExist) {
				from.Files = nil
			}
		}
		checkouts[i] = from
	}
	s.tree = load.NewTree(fed, checkouts, builds)
	s.tree.Input.Revision = cmp.Or(s.Revision, s.tree.Input.Revision)
	if s.health != nil {
		s.tree.Input.Health = s.health
	}
}

// input returns the planner's input; empty if there is nothing to plan.
func (s *side) input() propagate.Input {
	if s.tree == nil {
		return propagate.Input{}
	}
	return s.tree.Input
}

// addRefusals adds the refusals of the Tenant to the findings. They block, whether or not base has them.
func (r *Review) addRefusals(refusals []propagate.Finding) {
	for _, x := range refusals {
		r.Findings = append(r.Findings, diff.Finding{Severity: x.Severity, Code: x.Code, Origin: x.At, Message: x.Message, Fix: x.Fix, New: true})
	}
}
