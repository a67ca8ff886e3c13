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
		if d.ID.GroupKind() == namespaceKind {
			p.refuseEmpty(d)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		if !p.implies(name) {
			continue
		}
		it, known := p.items.ofGit(namespaceID(name))
		if !known {
			it = p.bareNamespace(name)
			p.items.all, p.items.implied = append(p.items.all, it), append(p.items.implied, it)
		}
		it.addClusters(needs[name])
	}
}

// refuseEmpty completes the reason for a Namespace in Git that no policy selects, as if none of its objects went anywhere.
func (p *Plan) refuseEmpty(d *Decision) {
	if d.Policy == nil && p.rules.exclusions.Namespace(d.ID.Name) == "" {
		d.Why += ", and none of its objects goes anywhere"
		p.members.refuseAll(d, "no policy selects it, and none of its objects goes there", d.Origin)
	}
}

// implies reports whether accord places a namespace on the clusters of its objects.
func (p *Plan) implies(namespace string) bool {
	return namespace != scope.DefaultNamespace && p.rules.exclusions.Namespace(namespace) == ""
}

func namespaceID(name string) manifest.ID { return manifest.ID{Kind: namespaceKind.Kind, Name: name} }

func (p *Plan) namespaceNeeds() map[string]namespaceNeed {
	needs := map[string]namespaceNeed{}
	for _, d := range p.Decisions {
		if d.ID.Namespace == "" || len(d.Chosen) == 0 {
			continue
		}
		n := needs[d.ID.Namespace]
		n.add(d)
		needs[d.ID.Namespace] = n
	}
	return needs
}

// add adds the need of one object.
func (n *namespaceNeed) add(d *Decision) {
	if n.on == nil {
		n.on = map[string]string{}
	}
	n.preserve = n.preserve || d.Preserve
	for _, c := range d.Chosen {
		if held, there := n.on[c.Cluster]; !there || held != "" {
			n.on[c.Cluster] = c.Held
		}
	}
}

// addClusters adds to a namespace the clusters that need it and that its policy did not choose.
func (it *item) addClusters(n namespaceNeed) {
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

// bareNamespace returns the item of a Namespace that is not in Git.
func (p *Plan) bareNamespace(name string) *item {
	id := namespaceID(name)
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": id.Kind, "metadata": map[string]any{"name": id.Name},
	}}
	d := &Decision{ID: id, GVK: u.GroupVersionKind()}
	return &item{decision: d, manifest: u, kind: p.rules.interpreters.book.Of(namespaceKind), candidates: p.rules.overrides.Candidates(u)}
}
