package check

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/scope"
)

// Review is a repository under review: the input, its plan, and indexes that several checks share. Checks must not
// change it.
type Review struct {
	in    propagate.Input
	plan  *propagate.Plan
	fleet []fleet.Cluster
	names []string // of the fleet, sorted
	known map[string]bool
	scope scope.Kinds

	objects []*object // by ID
	byID    map[manifest.ID]*object
	byKind  map[schema.GroupKind][]*object
	spaces  map[space][]*object
	byTitle map[string]*claim

	outcomes   *Outcomes         // of the plan; nil until a check needs them, unless the caller had them
	variants   func() []*variant // computed when a check first needs them
	applied    func() []*applied
	overriders func() map[string]overrider
}

// object is one object with its decision.
type object struct {
	*propagate.Decision
	manifest *unstructured.Unstructured
	text     []byte
}

// at returns the place of a field of the manifest, as far as it is known.
func (o *object) at(field string) manifest.Origin {
	return manifest.LinesOf(o.text, o.Origin.Line).At(o.Origin, field)
}

// space is a kind in a namespace.
type space struct {
	schema.GroupKind
	namespace string
}

// claim is one propagation policy with the objects that it selects, and those of them that it claims.
type claim struct {
	policy        *policy.Policy
	selected, won []*object
}

// NewReview returns the review of an input with its plan.
func NewReview(in propagate.Input, plan *propagate.Plan) *Review {
	r := &Review{
		in: in, plan: plan, fleet: plan.Fleet(), names: plan.Clusters(), known: map[string]bool{}, scope: scope.Of(in.Objects, in.Fleet),
		byID: map[manifest.ID]*object{}, byKind: map[schema.GroupKind][]*object{}, spaces: map[space][]*object{},
		byTitle: map[string]*claim{},
	}
	for _, name := range r.names {
		r.known[name] = true
	}
	r.addObjects()
	r.addClaims()
	r.variants = sync.OnceValue(r.rendering)
	r.applied = sync.OnceValue(r.applying)
	r.overriders = sync.OnceValue(r.entries)
	return r
}

func (r *Review) addObjects() {
	texts := map[manifest.Origin]map[string][]byte{}
	for _, o := range r.in.Objects {
		if texts[o.Origin] == nil {
			texts[o.Origin] = map[string][]byte{}
		}
		texts[o.Origin][o.Manifest.GetName()] = o.Text
	}
	for _, d := range r.plan.Decisions {
		o := &object{Decision: d, manifest: r.plan.Manifest(d.ID), text: texts[d.Origin][d.ID.Name]}
		kind := d.ID.GroupKind()
		r.objects = append(r.objects, o)
		r.byID[d.ID] = o
		r.byKind[kind] = append(r.byKind[kind], o)
		r.spaces[space{kind, d.ID.Namespace}] = append(r.spaces[space{kind, d.ID.Namespace}], o)
	}
}

func (r *Review) addClaims() {
	for i := range r.in.Policies {
		p := &r.in.Policies[i]
		r.byTitle[p.Title()] = &claim{policy: p, selected: r.selected(p.Spec.ResourceSelectors)}
	}
	for _, o := range r.objects {
		if o.Policy == nil {
			continue
		}
		if c := r.byTitle[o.Policy.Title()]; c != nil {
			c.won = append(c.won, o)
		}
	}
}

// claim returns the objects of a policy.
func (r *Review) claim(p *policy.Policy) *claim { return r.byTitle[p.Title()] }
