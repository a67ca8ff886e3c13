package interpret

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// Rules are the customizations and health expressions of users, with their mistakes.
type Rules struct {
	customizations []policy.Customization
	health         []interpret.HealthExprs
	book           *interpret.Book
	mistakes       []propagate.Finding
	// only is the operation that Run is limited to; empty for all.
	only policy.Operation
}

// Read reads the customizations of a file, which may have other manifests, and the health expressions of a Federation. Either
// name may be empty. A mistake in the rules is not an error here.
func Read(file, federation string) (*Rules, error) {
	k := &Rules{}
	var mistakes []error
	if file != "" {
		objects, err := load.ReadManifests(file)
		mistakes = append(mistakes, err)
		for _, o := range objects {
			if id := o.ID(); id.Group != policy.ConfigGroup || id.Kind != "ResourceInterpreterCustomization" {
				continue
			}
			c, err := policy.DecodeCustomization(o.Manifest.Get(), o.Text, o.Origin)
			if mistakes = append(mistakes, err); err == nil {
				k.customizations = append(k.customizations, c)
			}
		}
		if errors.Join(mistakes...) == nil && len(k.customizations) == 0 {
			return nil, fmt.Errorf("%s has no ResourceInterpreterCustomization", file)
		}
	}
	if federation != "" {
		health, err := load.ReadHealth(federation)
		if err == nil && len(health) == 0 {
			return nil, fmt.Errorf("the Federation of %s has no spec.healthCheckExprs", federation)
		}
		k.health, mistakes = health, append(mistakes, err)
	}
	book, err := interpret.New(k.customizations, k.health)
	k.book = book
	found, rest := check.Mistakes(errors.Join(append(mistakes, err)...))
	k.mistakes = found
	return k, rest
}

// kinds returns the kinds that the rules are about, sorted, each once.
func (k *Rules) kinds() []schema.GroupKind {
	var all []schema.GroupKind
	for _, c := range k.customizations {
		all = append(all, schema.FromAPIVersionAndKind(c.Spec.Target.APIVersion, c.Spec.Target.Kind).GroupKind())
	}
	for _, h := range k.health {
		all = append(all, schema.FromAPIVersionAndKind(h.APIVersion, h.Kind).GroupKind())
	}
	slices.SortFunc(all, func(a, b schema.GroupKind) int {
		return manifest.ID{Group: a.Group, Kind: a.Kind}.Compare(manifest.ID{Group: b.Group, Kind: b.Kind})
	})
	return slices.Compact(all)
}

// checkKind returns an error for an object of a kind without rules: no operation would run on it.
func (k *Rules) checkKind(o render.Object) error {
	gk := o.ID().GroupKind()
	if slices.Contains(k.kinds(), gk) {
		return nil
	}
	var known, names []string
	for _, about := range k.kinds() {
		known, names = append(known, about.String()), append(names, about.Kind)
	}
	hint := "there are rules for " + strings.Join(known, ", ")
	if near := slices.Index(names, manifest.Nearest(gk.Kind, names)); near >= 0 {
		hint = fmt.Sprintf("did you mean %q?", known[near])
	}
	return fmt.Errorf("%s: there are no rules for the kind of %s; %s", o.Origin, o.ID(), hint)
}
