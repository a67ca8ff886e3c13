package propagate

import (
	"cmp"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/scope"
	"github.com/accord-dev/accord/status/kind"
)

// object is one manifest with its namespace set.
type object struct {
	id       manifest.ID
	manifest *unstructured.Unstructured
	source   *unstructured.Unstructured // manifest as the input has it
	origin   manifest.Origin
	// scopeUnknown means that the manifest names no namespace, and the kind may have one or not.
	scopeUnknown bool
	text         []byte // YAML document of manifest, if known
	input        int    // index in Input.Objects
}

// mistakes returns the values that the kind of an object cannot read, each a *manifest.Error.
func (o object) mistakes(k kind.Kind) []error {
	if k.Mistakes == nil {
		return nil
	}
	var errs []error
	for _, m := range k.Mistakes(o.manifest) {
		errs = append(errs, m.At(o.origin, o.text))
	}
	return errs
}

// normalize sets the namespace of every object, sorts the objects, and rejects an input with duplicates. It copies a
// manifest to change it, unless last has the copy. An object of unknown scope without a namespace
// keeps the one of the previous decision: the definition of its kind may be out of sight for a moment only.
func normalize(in Input, scopes scope.Kinds, last *Plan, previous map[manifest.ID]*Previous) ([]object, error) {
	objects := make([]object, len(in.Objects))
	for i, o := range in.Objects {
		u := o.Manifest
		want, known := scopes.Namespace(u)
		if !known {
			want, known = previousNamespace(u, previous)
		}
		if want != u.GetNamespace() {
			if u = last.moved(o.Manifest, want); u == nil {
				u = o.Manifest.DeepCopy()
				u.SetNamespace(want)
			}
		}
		objects[i] = object{manifest.IDOf(u), u, o.Manifest, o.Origin, !known, o.Text, i}
	}
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(a.id.Compare(b.id), a.origin.Compare(b.origin))
	})
	var errs []error
	for i := 1; i < len(objects); i++ {
		if objects[i].id == objects[i-1].id {
			errs = append(errs, manifest.Duplicate(objects[i].id.String(), objects[i-1].origin, objects[i].origin))
		}
	}
	return objects, errors.Join(append(errs, in.duplicates()...)...)
}

// duplicates returns an error for each manifest beside the objects that is there twice.
func (in Input) duplicates() []error {
	var errs []error
	errs = append(errs, manifest.Duplicates(in.Policies, func(p policy.Policy) (string, manifest.Origin) { return p.Title(), p.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Overrides, func(o policy.Override) (string, manifest.Origin) { return o.Title(), o.Origin })...)
	errs = append(errs, manifest.Duplicates(in.TaintPolicies, func(t policy.TaintPolicy) (string, manifest.Origin) { return t.Title(), t.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Rebalancers, func(r policy.Rebalancer) (string, manifest.Origin) { return r.Title(), r.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Rollouts, func(r policy.Rollout) (string, manifest.Origin) { return r.Title(), r.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Customizations, func(c policy.Customization) (string, manifest.Origin) { return c.Title(), c.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Fleet, func(c fleet.Cluster) (string, manifest.Origin) { return "Cluster " + c.Name, c.Origin })...)
	return errs
}

// previousNamespace returns the namespace of the previous decision about an object without one.
func previousNamespace(u *unstructured.Unstructured, previous map[manifest.ID]*Previous) (namespace string, known bool) {
	id := manifest.IDOf(u)
	id.Namespace = scope.DefaultNamespace
	if _, known = previous[id]; known {
		return id.Namespace, true
	}
	return "", false
}
