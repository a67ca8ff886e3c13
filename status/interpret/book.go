package interpret

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret/sandbox"
	"github.com/accord-dev/accord/status/kind"
)

// Book is what is known about kinds: by the users who wrote it down, and for the rest by status/kind. The nil Book is that
// rest alone. A Book does not change, and can be asked from many places at once.
type Book struct {
	pages map[schema.GroupKind]*page
}

// page is what users know about one kind.
type page struct {
	scripts      map[policy.Operation]*script
	dependencies []*script
	examination  *examination
	// apiVersion and kind are written in objects that are made up for scripts.
	apiVersion, kind string
}

// New makes a Book of customizations and health expressions.
//
// A customization is about every version of its target's kind: kinds match by group and kind, whatever the version (B30).
// If several are about one kind, they are taken in the order of their names, and of each operation the first script; the
// dependencies that scripts find are united (Karmada §7.1).
//
// The error joins every mistake, each a *manifest.Error: a script that does not define its function or fails before it is
// called, a second script for an operation, an expression that is no CEL, a second rule for the health of a kind. The Book
// is there nevertheless, without what is wrong.
func New(customizations []policy.Customization, health []HealthExprs) (*Book, error) {
	b := &Book{pages: map[schema.GroupKind]*page{}}
	lib := newLibrary()
	var mistakes []error
	for _, c := range slices.SortedFunc(slices.Values(customizations), byName) {
		mistakes = append(mistakes, b.customize(&c, lib)...)
	}
	for _, h := range health {
		if err := b.express(h); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return b, errors.Join(mistakes...)
}

func byName(a, b policy.Customization) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin.String(), b.Origin.String()))
}

// customize writes down what a customization says.
func (b *Book) customize(c *policy.Customization, lib *sandbox.Library) []error {
	target := c.Spec.Target
	p, err := b.page(target.APIVersion, target.Kind)
	if err != nil {
		return []error{&manifest.Error{Origin: c.At("spec.target"), Message: err.Error()}}
	}
	var mistakes []error
	for _, op := range policy.Operations() {
		if c.Script(op) == "" {
			continue
		}
		s, err := compile(c, op, lib)
		if err == nil {
			err = p.add(s)
		}
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// page is the page of a kind, a new one if there is none yet.
func (b *Book) page(apiVersion, name string) (*page, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || name == "" {
		return nil, fmt.Errorf("%q %q is no kind", sandbox.Shorten(apiVersion), sandbox.Shorten(name))
	}
	gk := schema.GroupKind{Group: gv.Group, Kind: name}
	p := b.pages[gk]
	if p == nil {
		p = &page{scripts: map[policy.Operation]*script{}, apiVersion: apiVersion, kind: name}
		b.pages[gk] = p
	}
	return p, nil
}

// add takes a script; only dependencies may have more than one.
func (p *page) add(s *script) error {
	if s.op == policy.DependencyInterpretation {
		p.dependencies = append(p.dependencies, s)
		return nil
	}
	if first := p.scripts[s.op]; first != nil {
		return s.fail(fmt.Errorf("%s has one for %s already, at %s, which is used; only dependencies may have several",
			first.of.Title(), p.kind, first.of.ScriptAt(first.op, 0)))
	}
	p.scripts[s.op] = s
	return nil
}

// express takes health expressions.
func (b *Book) express(h HealthExprs) error {
	p, err := b.page(h.APIVersion, h.Kind)
	if err != nil {
		return h.mistake("%v", err)
	}
	e, err := h.examine()
	if err != nil {
		return err
	}
	if p.examination != nil {
		return h.mistake("there are some for %s already, at %s, which are used", p.kind, p.examination.of.At)
	}
	if s := p.scripts[policy.HealthInterpretation]; s != nil {
		return h.mistake("%s says what the health of %s is already, at %s, which is used", s.of.Title(), p.kind, s.of.ScriptAt(s.op, 0))
	}
	p.examination = e
	return nil
}

// Of is what is known about gk: what status/kind has built in, and over it what users know.
//
// Scripts can fail, and a Kind has no errors. Then what is built in answers instead; Health is Unknown and says why. What
// can be known of failures before anything is delivered, Check says.
func (b *Book) Of(gk schema.GroupKind) kind.Kind {
	p := b.of(gk)
	if p == nil {
		return Of(gk)
	}
	return p.over(Of(gk))
}

func (b *Book) of(gk schema.GroupKind) *page {
	if b == nil {
		return nil
	}
	return b.pages[gk]
}

// Check runs every script that has to do with the template u and says what fails, each a *manifest.Error with the line of
// the script. Scripts about live objects are not run: a template has no status, and they may fail for that.
func (b *Book) Check(u *unstructured.Unstructured) []error {
	p := b.of(u.GroupVersionKind().GroupKind())
	if p == nil {
		return nil
	}
	var failures []error
	note := func(err error) {
		if err != nil {
			failures = append(failures, err)
		}
	}
	n := int32(1)
	if s := p.scripts[policy.ReplicaResource]; s != nil {
		w, err := s.replicas(u)
		n = w.replicas
		note(err)
	}
	if s := p.scripts[policy.ComponentResource]; s != nil {
		_, err := s.room(u)
		note(err)
	}
	if s := p.scripts[policy.ReplicaRevision]; s != nil {
		_, err := s.revise(u, n)
		note(err)
	}
	for _, s := range p.dependencies {
		_, err := s.dependencies(u)
		note(err)
	}
	return failures
}

// Retains says whether somebody has written a Retain script for a kind.
func (b *Book) Retains(gk schema.GroupKind) bool {
	p := b.of(gk)
	return p != nil && p.scripts[policy.Retention] != nil
}

// Retain is the desired object with what its kind's customization takes over from the live one (Karmada §7.1 Retain);
// desired itself if nobody customized that.
func (b *Book) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	gk := desired.GroupVersionKind().GroupKind()
	if !b.Retains(gk) {
		return desired, nil
	}
	content, err := b.of(gk).scripts[policy.Retention].retain(desired, observed)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// Components are the pod templates of an object that has several, as its kind's customization says; nil if nobody does.
// In the Kind of such an object they count together, for finding room; it goes whole to wherever it goes.
func (b *Book) Components(u *unstructured.Unstructured) ([]Component, error) {
	p := b.of(u.GroupVersionKind().GroupKind())
	if p == nil || p.scripts[policy.ComponentResource] == nil {
		return nil, nil
	}
	return p.scripts[policy.ComponentResource].components(u)
}
