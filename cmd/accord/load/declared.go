package load

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/render"
)

// DeclaredFederation is a file of a repository that declares a Federation.
type DeclaredFederation struct {
	File string
	// Federation is nil if Err is the reason why the file cannot be read.
	Federation *v1alpha1.Federation
	Err        error
}

// Title returns "<namespace>/<name>".
func (d DeclaredFederation) Title() string { return federationTitle(d.Federation) }

func federationTitle(fed *v1alpha1.Federation) string { return fed.Namespace + "/" + fed.Name }

// Declarations are the Federations that a change of a repository is about.
type Declarations struct {
	// Here are declared at head, with a source in the repository.
	Here []DeclaredFederation
	// Removed names those that only base declares.
	Removed []string
	// Notes name the Federations that no plan shows, with the reason.
	Notes []string

	named map[string]bool // declared at one of the sides
}

// Has reports whether one of the sides declares a Federation.
func (d *Declarations) Has(fed *v1alpha1.Federation) bool {
	return d.named[federationTitle(fed)]
}

// Declared compares the Federations that two states of a repository declare; label names head. The error is about a manifest that the
// change breaks.
func Declared(base, head []DeclaredFederation, label string, h *gitrepo.Repository) (*Declarations, error) {
	d := &Declarations{named: map[string]bool{}}
	for _, at := range head {
		if err := d.addHead(at, base, label, h); err != nil {
			return nil, err
		}
	}
	for _, at := range base {
		if at.Err != nil || d.Has(at.Federation) {
			continue
		}
		if d.named[at.Title()] = true; at.hasSourceIn(h) {
			d.Removed = append(d.Removed, at.Title())
			d.Notes = append(d.Notes, fmt.Sprintf("%s does not declare Federation %s (%s of base): no plan shows what its deletion from the hub does", label, at.Title(), at.File))
		}
	}
	return d, nil
}

// addHead adds a declaration of head.
func (d *Declarations) addHead(at DeclaredFederation, base []DeclaredFederation, label string, h *gitrepo.Repository) error {
	unread := func(b DeclaredFederation) bool { return b.File == at.File && b.Err != nil }
	switch {
	case at.Err != nil && slices.ContainsFunc(base, unread): // the change did not break it
		d.Notes = append(d.Notes, fmt.Sprintf("%s cannot be read and is not planned: %v", at.File, at.Err))
		return nil
	case at.Err != nil:
		return fmt.Errorf("reading the Federation of %s: %w", label, at.Err)
	case d.Has(at.Federation):
		return fmt.Errorf("%s declares Federation %s, as another file does: remove one of them", at.File, at.Title())
	case at.hasSourceIn(h):
		d.Here = append(d.Here, at)
	default:
		d.Notes = append(d.Notes, fmt.Sprintf("Federation %s (%s) is not planned: none of its sources is this repository", at.Title(), at.File))
	}
	d.named[at.Title()] = true
	return nil
}

// hasSourceIn reports whether a repository has files of the Federation. A repository without remotes is taken to be the one of all sources.
func (d DeclaredFederation) hasSourceIn(h *gitrepo.Repository) bool {
	return slices.ContainsFunc(d.Federation.Spec.Sources, func(s v1alpha1.Source) bool {
		return s.Cluster == nil && (len(h.Remotes()) == 0 || h.Serves(s.URL))
	})
}

// DeclaredFederations returns the files that declare Federations, in the order of their paths.
func DeclaredFederations(files fs.FS) []DeclaredFederation {
	var all []DeclaredFederation
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // it only collects
		switch {
		case err != nil:
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.Type().IsRegular() && (path.Ext(name) == ".yaml" || path.Ext(name) == ".yml"):
			if d := declaredIn(files, name); d.Federation != nil || d.Err != nil {
				all = append(all, d)
			}
		}
		return nil
	})
	return all
}

// declaredIn reads one file. Both results are empty for a file without a Federation of accord.
func declaredIn(files fs.FS, name string) DeclaredFederation {
	d := DeclaredFederation{File: name}
	data, err := fs.ReadFile(files, name)
	if text := string(data); err != nil || !strings.Contains(text, "kind: Federation") || !strings.Contains(text, v1alpha1.GroupVersion.Group) {
		return d
	}
	objects, err := ParseManifests(name, data)
	if err != nil {
		d.Err = err
		return d
	}
	if slices.ContainsFunc(objects, func(o render.Object) bool { return v1alpha1.IsFederation(o.ID()) }) {
		d.Federation, _, d.Err = SelectFederation(name, objects)
	}
	return d
}
