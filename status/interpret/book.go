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

// Book has the rules for kinds: those of the users, and the built-in ones for the rest (see Of). The nil Book has only
// the built-in ones. A Book does not change; concurrent use is safe.
type Book struct {
	pages map[schema.GroupKind]*page
}

// page has the users' rules for one kind.
type page struct {
	scripts      map[policy.Operation]*script
	dependencies []*script
	healthRule   *healthRule
	// apiVersion and kind of the objects that scripts get as a stand-in.
	apiVersion, kind string
}

// New returns a Book of customizations and health expressions.
//
// A customization applies to every version of its target's kind (B30). If several apply to one kind, they are taken in
// the order of their names, and of each operation the first script; the dependencies of all scripts are united (Karmada
// §7.1).
//
// The error joins every mistake, each a *manifest.Error: a script that does not define its function or fails before it
// is called, a second script for an operation, an expression that is no CEL, a second rule for the health of a kind.
// New returns the Book in any case, without the mistaken parts.
func New(customizations []policy.Customization, health []HealthExprs) (*Book, error) {
	b := &Book{pages: map[schema.GroupKind]*page{}}
	lib := newLibrary()
	var mistakes []error
	for _, c := range slices.SortedFunc(slices.Values(customizations), byName) {
		mistakes = append(mistakes, b.customize(&c, lib)...)
	}
	for _, h := range health {
		if err := b.addHealth(h); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return b, errors.Join(mistakes...)
}

func byName(a, b policy.Customization) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin.String(), b.Origin.String()))
}

// customize adds the scripts of a customization.
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

// page returns the page of a kind, a new one if there is none yet.
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

// add adds a script; only dependencies may have more than one.
func (p *page) add(s *script) error {
	if s.op == policy.DependencyInterpretation {
		p.dependencies = append(p.dependencies, s)
		return nil
	}
	if first := p.scripts[s.op]; first != nil {
		return s.fail(fmt.Errorf("%s already has one for %s, at %s, which is used; only dependencies may have several",
			first.of.Title(), p.kind, first.of.ScriptAt(first.op, 0)))
	}
	p.scripts[s.op] = s
	return nil
}

// addHealth adds health expressions.
func (b *Book) addHealth(h HealthExprs) error {
	p, err := b.page(h.APIVersion, h.Kind)
	if err != nil {
		return h.mistake("%v", err)
	}
	if manifest.IsSecretKind(h.APIVersion, h.Kind) {
		return h.mistake("expressions may not read Secrets, because what they write leaves the cluster; remove them")
	}
	e, err := h.compile()
	if err != nil {
		return err
	}
	if p.healthRule != nil {
		return h.mistake("%s already has some, at %s, which are used", p.kind, p.healthRule.of.At)
	}
	if s := p.scripts[policy.HealthInterpretation]; s != nil {
		return h.mistake("%s already defines the health of %s, at %s, which is used", s.of.Title(), p.kind, s.of.ScriptAt(s.op, 0))
	}
	p.healthRule = e
	return nil
}

// Of returns the rules for gk: the built-in ones, and over them those of the users.
//
// Scripts can fail, and a Kind returns no errors. The built-in rule takes the place of a script that fails; Health is
// Unknown with the error. Check reports the failures that are known before a delivery.
func (b *Book) Of(gk schema.GroupKind) kind.Kind {
	p := b.of(gk)
	if p == nil {
		return Of(gk)
	}
	built := Of(gk)
	return hideSensitive(p.over(built), built)
}

func (b *Book) of(gk schema.GroupKind) *page {
	if b == nil {
		return nil
	}
	return b.pages[gk]
}

// Customizes reports whether users have rules for gk.
func (b *Book) Customizes(gk schema.GroupKind) bool { return b.of(gk) != nil }

// Check runs every script about the template u and returns the failures, each a *manifest.Error with the line of the
// script. It does not run scripts about live objects: a template has no status, and they may fail for that.
func (b *Book) Check(u *unstructured.Unstructured) []error {
	p := b.of(u.GroupVersionKind().GroupKind())
	if p == nil || manifest.IsSensitive(u) {
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

// Components returns the pod templates of an object that has several, according to its kind's customization; nil
// without one. In the Kind of such an object they count together, for finding room; it goes whole to each of its
// clusters.
func (b *Book) Components(u *unstructured.Unstructured) ([]Component, error) {
	p := b.of(u.GroupVersionKind().GroupKind())
	if p == nil || p.scripts[policy.ComponentResource] == nil || manifest.IsSensitive(u) {
		return nil, nil
	}
	return p.scripts[policy.ComponentResource].components(u)
}
