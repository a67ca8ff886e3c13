package propagate

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/exclude"
	"github.com/accord-dev/accord/status/kind"
)

// attach sends the dependencies of an object along with it, and their dependencies in turn, if its policy has
// propagateDeps (Karmada §6.7). A dependency goes to every cluster of the object, beside the clusters that its own
// policy chose, and is held wherever the object is held (B13).
func (p *Plan) attach() {
	p.relations.dependents = map[manifest.ID][]manifest.ID{}
	for _, it := range p.items.all {
		p.relations.attaches = p.relations.attaches || it.decision.Dependencies
		if it.decision.Dependencies && it.decision.ID.Namespace != "" {
			p.followReferences(it, it, map[manifest.ID]bool{it.decision.ID: true})
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(p.relations.dependents), manifest.ID.Compare) {
		it, _ := p.items.get(id)
		it.decision.Attach(decisionsOf(p.owners(id)))
	}
}

// owners returns the objects that need this one as a dependency.
func (p *Plan) owners(id manifest.ID) []*item {
	var owners []*item
	for _, owner := range p.relations.dependents[id] {
		it, _ := p.items.get(owner)
		owners = append(owners, it)
	}
	return owners
}

// followReferences records the objects that owner needs, beginning with the references of it. seen has the objects
// followed so far.
func (p *Plan) followReferences(owner, it *item, seen map[manifest.ID]bool) {
	if it.kind.Dependencies == nil {
		return
	}
	for _, ref := range it.kind.Dependencies(it.manifest.Get()) {
		for _, needed := range p.resolve(ref) {
			id := needed.decision.ID
			if seen[id] || p.rules.exclusions.Object(id, needed.manifest.Get()) != "" || needed.generated() {
				continue
			}
			seen[id] = true
			p.relations.dependents[id] = append(p.relations.dependents[id], owner.decision.ID)
			p.followReferences(owner, needed, seen)
		}
	}
}

// generated reports whether the control plane of each cluster makes the object, and no policy names it.
func (it *item) generated() bool {
	id := it.decision.ID
	return it.decision.Policy == nil && !exclude.FollowsService(id) && exclude.Generated(id, it.manifest.Get()) != ""
}

// resolve returns the objects in Git that a reference names. A missing object is attached by the first plan that has
// it.
func (p *Plan) resolve(ref kind.Reference) []*item {
	if ref.Name != "" {
		if it, known := p.items.get(ref.ID); known {
			return []*item{it}
		}
		return nil
	}
	selector := labels.SelectorFromSet(ref.Labels)
	var found []*item
	for _, it := range p.items.all {
		id := it.decision.ID
		if id.GroupKind() == ref.GroupKind() && id.Namespace == ref.Namespace && selector.Matches(labels.Set(it.manifest.Get().GetLabels())) {
			found = append(found, it)
		}
	}
	return found
}
