package check

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/scope"
)

// Review is a repository under review: the input, its plan, and indexes that several checks share. Checks must not
// change it, because Run runs them at the same time. One goroutine at a time may call Run.
type Review struct {
	in    propagate.Input
	plan  *propagate.Plan
	fleet []fleet.Cluster
	names []string // of the fleet, sorted
	known map[string]bool
	scope scope.Kinds

	objects []*object                      // by ID
	kept    map[string][]propagate.Finding // of checks that read no rendered object, by code

	outcomes *Outcomes // of the plan; nil until a check needs them, unless the caller had them

	// Computed when a check first needs them.
	texts      func() map[manifest.Origin]map[string][]byte
	byKind     func() map[schema.GroupKind][]*object
	spaces     func() map[space][]*object
	won        func() map[string][]*object // the objects that each policy claims, by its title
	variants   func() []*variant
	applied    func() []*applied
	overriders func() map[string]overrider
}

// object is one object with its decision.
type object struct {
	*decision.Decision
	manifest *manifest.Packed
}

// space is a kind in a namespace.
type space struct {
	schema.GroupKind
	namespace string
}

// NewReview returns the review of an input with its plan.
func NewReview(in propagate.Input, plan *propagate.Plan) *Review {
	r := newReview(in, plan)
	r.objects = make([]*object, len(plan.Decisions))
	for i, d := range plan.Decisions {
		r.objects[i] = &object{d, plan.Manifest(d.ID)}
	}
	return r
}

func newReview(in propagate.Input, plan *propagate.Plan) *Review {
	r := &Review{
		in: in, plan: plan, fleet: plan.Fleet(), names: plan.Clusters(), known: map[string]bool{}, scope: plan.Scopes(),
		kept: map[string][]propagate.Finding{},
	}
	for _, name := range r.names {
		r.known[name] = true
	}
	r.Release()
	return r
}

// Release drops the indexes and the outcomes, which a review that waits for its Next does not need. Run computes them again.
func (r *Review) Release() {
	r.outcomes = nil
	r.texts = sync.OnceValue(r.textsByPlace)
	r.byKind = sync.OnceValue(func() map[schema.GroupKind][]*object {
		return grouped(r.objects, func(o *object) schema.GroupKind { return o.ID.GroupKind() })
	})
	r.spaces = sync.OnceValue(func() map[space][]*object {
		return grouped(r.objects, func(o *object) space { return space{o.ID.GroupKind(), o.ID.Namespace} })
	})
	r.won = sync.OnceValue(func() map[string][]*object {
		claimed := those(r.objects, func(o *object) bool { return o.Policy != nil })
		return grouped(claimed, func(o *object) string { return o.Policy.Title() })
	})
	r.variants = sync.OnceValue(r.rendering)
	r.applied = sync.OnceValue(r.applying)
	r.overriders = sync.OnceValue(r.entries)
}

// object returns the object with an ID; nil if there is none.
func (r *Review) object(id manifest.ID) *object {
	i, known := r.position(id)
	if !known {
		return nil
	}
	return r.objects[i]
}

// position returns the position of an object among all; false if there is none with this ID.
func (r *Review) position(id manifest.ID) (int, bool) {
	return slices.BinarySearchFunc(r.objects, id, func(o *object, id manifest.ID) int { return o.ID.Compare(id) })
}

// grouped returns the objects of each key, in their order.
func grouped[K comparable](objects []*object, key func(*object) K) map[K][]*object {
	all := map[K][]*object{}
	for _, o := range objects {
		all[key(o)] = append(all[key(o)], o)
	}
	return all
}

// textsByPlace returns the YAML documents of the objects, by place and name.
func (r *Review) textsByPlace() map[manifest.Origin]map[string][]byte {
	texts := map[manifest.Origin]map[string][]byte{}
	for _, o := range r.in.Objects {
		if texts[o.Origin] == nil {
			texts[o.Origin] = map[string][]byte{}
		}
		texts[o.Origin][o.ID().Name] = o.Text
	}
	return texts
}

// text returns the YAML document of an object; nil if it is not known.
func (r *Review) text(o *object) []byte { return r.texts()[o.Origin][o.ID.Name] }

// fieldOf returns the place of a field of an object, as far as it is known.
func (r *Review) fieldOf(o *object, field string) manifest.Origin {
	return manifest.LinesOf(r.text(o), o.Origin.Line).At(o.Origin, field)
}
