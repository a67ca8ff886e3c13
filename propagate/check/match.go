package check

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// selected returns the objects that any of the selectors selects, sorted by ID, without duplicates.
func (r *Review) selected(selectors []policy.ResourceSelector) []*object {
	if len(selectors) == 1 {
		return r.selectedBy(selectors[0])
	}
	var all []*object
	for _, s := range selectors {
		all = append(all, r.selectedBy(s)...)
	}
	return sortedObjects(all)
}

func sortedObjects(objects []*object) []*object {
	slices.SortFunc(objects, func(a, b *object) int { return a.ID.Compare(b.ID) })
	return slices.Compact(objects)
}

// those returns the objects for which are is true.
func those(objects []*object, are func(*object) bool) []*object {
	var found []*object
	for _, o := range objects {
		if are(o) {
			found = append(found, o)
		}
	}
	return found
}

// selectedBy tests only the objects that can match: a repository has many policies that name one object each.
func (r *Review) selectedBy(s policy.ResourceSelector) []*object {
	var found []*object
	for _, o := range r.near(s) {
		if s.MatchOf(o.ID, o.manifest) != policy.NoMatch {
			found = append(found, o)
		}
	}
	return found
}

func (r *Review) near(s policy.ResourceSelector) []*object {
	kind := kindOf(s)
	switch {
	case s.Namespace != "" && s.Name != "":
		id := manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: s.Namespace, Name: s.Name}
		if o := r.object(id); o != nil {
			return []*object{o}
		}
		return nil
	case s.Namespace != "":
		return r.spaces()[space{kind, s.Namespace}]
	}
	return r.byKind()[kind]
}

// overridden returns the objects that an override selects. It ignores label selectors when an earlier override may
// change the labels (Karmada §3.2).
func (r *Review) overridden(o *policy.Override) []*object {
	selectors := o.Spec.ResourceSelectors
	if len(selectors) == 0 {
		return those(r.objects, func(it *object) bool { return o.ClusterWide() || it.ID.Namespace == o.Namespace })
	}
	if !o.ClusterWide() && relabels(r.in.Overrides, o) {
		selectors = slices.Clone(selectors)
		for i := range selectors {
			selectors[i].LabelSelector = nil
		}
	}
	return r.selected(selectors)
}

// relabels reports whether a cluster-wide override may change the labels that a namespaced one selects by.
func relabels(all []*policy.Override, selecting *policy.Override) bool {
	byLabel := slices.ContainsFunc(selecting.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
		return s.Name == "" && s.LabelSelector != nil
	})
	return byLabel && slices.ContainsFunc(all, func(o *policy.Override) bool {
		return o.ClusterWide() && slices.ContainsFunc(o.Spec.OverrideRules, func(rule policy.OverrideRule) bool {
			return len(rule.Overriders.LabelsOverrider) > 0 || len(rule.Overriders.Plaintext) > 0
		})
	})
}

// kindOf returns the kind of a selector, without its version.
func kindOf(s policy.ResourceSelector) schema.GroupKind {
	return schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind()
}
