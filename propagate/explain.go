package propagate

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// Decision is what was decided about an object in Git; nil when there is none of this name. Nobody may change it.
func (p *Plan) Decision(id manifest.ID) *Decision {
	if it, known := p.byID[id]; known && it.decision.Origin != (manifest.Origin{}) {
		return it.decision
	}
	return nil
}

// Manifest is an object in Git with the namespace it will have; nil when there is none. Nobody may change it.
func (p *Plan) Manifest(id manifest.ID) *unstructured.Unstructured {
	if it, known := p.byID[id]; known {
		return it.manifest
	}
	return nil
}

// Fleet is all clusters, sorted by name, with the taints that ClusterTaintPolicies leave. Nobody may change it.
func (p *Plan) Fleet() []fleet.Cluster { return p.clusters }

// Kind is what is known about a kind, by accord and by the users who customized it.
func (p *Plan) Kind(gk schema.GroupKind) kind.Kind { return p.book.Of(gk) }

// Interpreters are what users know about kinds; nil when they brought nothing. id tells one such knowledge from another;
// it is empty for nil.
func (p *Plan) Interpreters() (book *interpret.Book, id string) { return p.book, p.interpretersID }

// NeedsRoom says whether a decision depended on what clusters have room for.
func (p *Plan) NeedsRoom() bool { return p.needsRoom }

// PoliciesSelecting are all policies that select an object, the one that claims it first (Karmada §2.2).
func (p *Plan) PoliciesSelecting(id manifest.ID) []*policy.Policy {
	it, known := p.byID[id]
	if !known {
		return nil
	}
	return p.claims.selecting(it.manifest)
}

// Trace is what each overrider does to an object on a cluster that it goes to, in order; see override.Trace. Nil when it
// does not go there.
func (p *Plan) Trace(id manifest.ID, cluster string) ([]override.Step, error) {
	it, known := p.byID[id]
	if !known {
		return nil, nil
	}
	d := it.decision
	i := slices.IndexFunc(d.Chosen, func(c Choice) bool { return c.Cluster == cluster })
	if i < 0 {
		return nil, nil
	}
	u, err := p.template(assigned{it, &d.Chosen[i]})
	if err != nil {
		return nil, err
	}
	return override.Trace(u, p.clusters[p.index[cluster]], p.overrides.pick(it.candidates))
}

// Dependents are the objects for whose sake this one is sent along, sorted.
func (p *Plan) Dependents(id manifest.ID) []manifest.ID {
	var ids []manifest.ID
	for _, owner := range p.dependents[id] {
		ids = append(ids, owner.decision.ID)
	}
	slices.SortFunc(ids, manifest.ID.Compare)
	return ids
}
