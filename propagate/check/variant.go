package check

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

// variant is an object as it is on some of its clusters: the same finished object on all of them, or the same failure.
type variant struct {
	id       manifest.ID
	object   *object // nil for a Namespace that is made for its objects and stands nowhere in Git
	rendered *propagate.Rendered
	failure  *propagate.Failure
	clusters []string
}

// rendering makes the variants of all objects, each once, whatever the number of clusters.
func (r *Review) rendering() []*variant {
	made := map[*propagate.Rendered]*variant{}
	failed := map[string]*variant{}
	var all []*variant
	for _, cluster := range r.names {
		target := r.plan.For(cluster)
		for i := range target.Objects {
			rendered := target.Objects[i].Rendered
			v := made[rendered]
			if v == nil {
				v = &variant{id: rendered.ID, object: r.byID[rendered.ID], rendered: rendered}
				made[rendered], all = v, append(all, v)
			}
			v.clusters = append(v.clusters, cluster)
		}
		for i := range target.Failed {
			f := &target.Failed[i]
			key := f.ID.String() + " " + f.Err.Error()
			v := failed[key]
			if v == nil {
				v = &variant{id: f.ID, object: r.byID[f.ID], failure: f}
				failed[key], all = v, append(all, v)
			}
			v.clusters = append(v.clusters, cluster)
		}
	}
	slices.SortFunc(all, func(a, b *variant) int {
		return cmp.Or(a.id.Compare(b.id), cmp.Compare(a.clusters[0], b.clusters[0]))
	})
	return all
}

// trace is what the overrides did to make the variant, step by step.
func (r *Review) trace(v *variant) []override.Step {
	steps, err := r.plan.Trace(v.id, v.clusters[0])
	if err != nil {
		return nil // it is told by cannot-render
	}
	return steps
}

// edits are what the overrides changed; nil for a failure.
func (v *variant) edits() []override.Edit {
	if v.rendered == nil {
		return nil
	}
	return v.rendered.Edits
}

// on is "on eu-1 and eu-2", or "on every cluster" when there is no other.
func (v *variant) on() string {
	if v.object != nil && len(v.object.Chosen) == len(v.clusters) && len(v.clusters) > 1 {
		return "on every cluster"
	}
	return "on " + list(v.clusters)
}
