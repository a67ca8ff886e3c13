package propagate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/scope"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// namespaceNeed is the need of the objects in one namespace for it.
type namespaceNeed struct {
	// on has every cluster of an object in the namespace, with the reason when all of them are held there.
	on map[string]string
	// preserve is set when one of the objects outlives its policy, because its namespace must then stay too.
	preserve bool
}

// implyNamespaces places namespaces on the clusters of their objects: with the manifest in Git if there is one,
// otherwise bare. accord creates a namespace elsewhere only if a policy places it (DESIGN section 8, B32).
func (p *Plan) implyNamespaces() {
	needs := p.namespaceNeeds()
	for _, d := range p.Decisions {
		if d.ID.GroupKind() == namespaceKind && d.Policy == nil && p.rules.exclusions.Namespace(d.ID.Name) == "" {
			d.Why += ", and none of its objects goes anywhere"
			p.members.refuseAll(d, "no policy selects it, and none of its objects goes there", d.Origin)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		if name == scope.DefaultNamespace || p.rules.exclusions.Namespace(name) != "" {
			continue
		}
		p.addToNamespace(manifest.ID{Kind: namespaceKind.Kind, Name: name}, needs[name])
	}
}

func (p *Plan) namespaceNeeds() map[string]namespaceNeed {
	needs := map[string]namespaceNeed{}
	for _, d := range p.Decisions {
		if d.ID.Namespace == "" || len(d.Chosen) == 0 {
			continue
		}
		n, known := needs[d.ID.Namespace]
		if !known {
			n.on = map[string]string{}
		}
		n.preserve = n.preserve || d.Preserve
		for _, c := range d.Chosen {
			if held, there := n.on[c.Cluster]; !there || held != "" {
				n.on[c.Cluster] = c.Held
			}
		}
		needs[d.ID.Namespace] = n
	}
	return needs
}

// addToNamespace adds to a namespace the clusters that need it and that its policy did not choose.
func (p *Plan) addToNamespace(id manifest.ID, n namespaceNeed) {
	it := p.namespace(id)
	it.preserve = it.preserve || n.preserve
	d := it.decision
	d.Chosen, d.Refused = slices.Clone(d.Chosen), slices.Clone(d.Refused) // ownDecision keeps the originals
	chosen := map[string]bool{}
	for _, c := range d.Chosen {
		chosen[c.Cluster] = true
	}
	for cluster, held := range n.on {
		if !chosen[cluster] {
			d.Chosen = append(d.Chosen, Choice{Cluster: cluster, Held: held, Implied: true})
		}
	}
	slices.SortFunc(d.Chosen, func(a, b Choice) int { return strings.Compare(a.Cluster, b.Cluster) })
	d.Refused = slices.DeleteFunc(d.Refused, func(r Refusal) bool { _, on := n.on[r.Cluster]; return on })
	d.Why = ""
}

// namespace returns the item of a Namespace: the one in Git, or a bare one without a decision of its own in the plan.
func (p *Plan) namespace(id manifest.ID) *item {
	if it, known := p.items.get(id); known {
		return it
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": id.Kind, "metadata": map[string]any{"name": id.Name},
	}}
	d := &Decision{ID: id, GVK: u.GroupVersionKind()}
	return p.add(&item{decision: d, manifest: u, kind: p.rules.interpreters.book.Of(namespaceKind), candidates: p.rules.overrides.Candidates(u)})
}
