package propagate

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/scope"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

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
		it.imply(needs[name])
	}
}

// refuseEmpty completes the reason for a Namespace in Git that no policy selects, as if none of its objects went anywhere.
func (p *Plan) refuseEmpty(d *decision.Decision) {
	if d.Policy == nil && p.rules.exclusions.Namespace(d.ID.Name) == "" {
		d.Why += ", and none of its objects goes anywhere"
		d.RefuseAll(p.members.All, "no policy selects it, and none of its objects goes there", d.Origin)
	}
}

// implies reports whether accord places a namespace on the clusters of its objects.
func (p *Plan) implies(namespace string) bool {
	return namespace != scope.DefaultNamespace && p.rules.exclusions.Namespace(namespace) == ""
}

func namespaceID(name string) manifest.ID { return manifest.ID{Kind: namespaceKind.Kind, Name: name} }

func (p *Plan) namespaceNeeds() map[string]decision.NamespaceNeed {
	needs := map[string]decision.NamespaceNeed{}
	for _, d := range p.Decisions {
		if d.ID.Namespace == "" || len(d.Chosen) == 0 {
			continue
		}
		n := needs[d.ID.Namespace]
		n.Add(d)
		needs[d.ID.Namespace] = n
	}
	return needs
}

// imply adds to a namespace the clusters that need it and that its policy did not choose.
func (it *item) imply(n decision.NamespaceNeed) {
	it.preserve = it.preserve || n.Preserve
	it.decision.Imply(n)
}

// bareNamespace returns the item of a Namespace that is not in Git.
func (p *Plan) bareNamespace(name string) *item {
	id := namespaceID(name)
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": id.Kind, "metadata": map[string]any{"name": id.Name},
	}}
	d := &decision.Decision{ID: id, GVK: u.GroupVersionKind()}
	return &item{decision: d, manifest: manifest.Whole(u), kind: p.rules.interpreters.Book.Of(namespaceKind), candidates: p.rules.overrides.Candidates(u)}
}
