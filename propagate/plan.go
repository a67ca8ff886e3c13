package propagate

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate/autoscaler"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/member"
	"github.com/accord-dev/accord/propagate/normalize"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/scope"
)

// Plan is the desired content of every cluster. It never changes; all methods are safe for concurrent use.
type Plan struct {
	// Decisions, one for every object, sorted by ID.
	Decisions  []*decision.Decision
	Recoveries []policy.Recovery // the RecoveryPlans

	members       member.Members
	rules         rules
	scopes        scope.Kinds
	items         items
	relations     relations
	evictions     map[manifest.ID][]v1alpha1.GracefulEvictionTask
	unschedulable deschedule.Copies
	needsRoom     bool      // a decision depended on the free capacity of clusters
	rollouts      *rollouts // nil when everything changes at once
	lineage       lineage
	digest        planDigest
	outcome       outcome
	control       string         // digest of the control manifests; empty without any
	texts         *compact.Texts // of Input
}

// New decides everything about in: which policy claims each object, which clusters get it, how many replicas, and which
// objects are held. It fails only for duplicates, counts and requests that their kind cannot read, and unusable scripts
// about kinds, each a *manifest.Error, and for a Skip that cannot be parsed. Rendering comes later (ForCluster).
func New(in Input) (*Plan, error) { return newPlan(in, nil) }

// newPlan makes a plan and reuses parts of the last one, which may be nil.
func newPlan(in Input, last *Plan) (*Plan, error) {
	p := &Plan{
		members: member.New(in.Fleet, in.TaintPolicies, in.Now), scopes: scope.Of(in.Objects, in.Fleet), lineage: newLineage(last), control: control.Digest(in.Control()),
		evictions: in.Evictions, unschedulable: deschedule.Sorted(in.Unschedulable), texts: in.Texts, Recoveries: in.Recoveries,
	}
	decided := make(map[manifest.ID]*previous.Decision, len(in.Previous))
	for _, d := range in.Previous {
		decided[d.ID] = d
	}
	objects, errs := normalize.Objects(in.Objects, p.scopes, normalize.Before{
		Decided: func(id manifest.ID) bool { return decided[id] != nil }, Moved: last.moved,
	})
	var rulesErr error
	p.rules, rulesErr = newRules(in, p.members.All, last)
	if err := errors.Join(append(append(errs, in.duplicates(p.rules, last)...), rulesErr)...); err != nil {
		return nil, err
	}
	p.rollouts, p.items.written = p.newRollouts(in.Rollouts), in.Objects
	earlier := p.reusable(last)
	if err := p.claimAll(objects, decided, earlier); err != nil {
		return nil, err
	}
	p.chooseAll(earlier)
	p.attach()
	p.implyNamespaces()
	p.assign(earlier)
	return p, nil
}

// claimAll makes an item of each object, with its policy. The error joins the values of objects that their kinds cannot
// read.
func (p *Plan) claimAll(objects []normalize.Object, decided map[manifest.ID]*previous.Decision, earlier *earlierPlan) error {
	decisions := make([]decision.Decision, len(objects))
	p.Decisions = make([]*decision.Decision, len(objects))
	p.items.inGit, p.items.inputs = make([]*item, len(objects)), make([]*item, len(objects))
	mistakes := make([][]error, len(objects))
	concurrent.Do(len(objects), func(i int) {
		o := objects[i]
		p.Decisions[i] = &decisions[i]
		p.items.inGit[i], mistakes[i] = p.newItem(o, &decisions[i], decided[o.ID], earlier)
		p.items.inputs[o.Input] = p.items.inGit[i]
	})
	p.items.all = slices.Clone(p.items.inGit)
	return errors.Join(slices.Concat(mistakes...)...)
}

// newItem makes the item of an object with its policy, and fills in its decision. The errors are the values that the kind cannot read.
func (p *Plan) newItem(o normalize.Object, d *decision.Decision, last *previous.Decision, earlier *earlierPlan) (*item, []error) {
	u := o.Manifest.Get()
	*d = decision.Decision{ID: o.ID, GVK: u.GroupVersionKind(), Origin: o.Origin, ScopeUnknown: o.ScopeUnknown, Evictions: eviction.Sorted(p.evictions[o.ID])}
	it := &item{
		decision: d, manifest: o.Manifest, kind: p.rules.interpreters.Book.Of(o.ID.GroupKind()), candidates: p.rules.overrides.Candidates(u),
		source: o.Source, earlier: earlier.item(o), previous: last, facts: facts{
			conflict: manifest.Annotation(u, "work.karmada.io/conflict-resolution"), retained: autoscaler.Labelled(u),
		},
	}
	var mistakes []error
	if it.earlier != nil && earlier.sameRendering {
		it.facts = it.earlier.facts
	} else if mistakes = o.Mistakes(it.kind); it.kind.Replicas != nil {
		it.facts.replicas, it.facts.workload = it.kind.Replicas(u)
	}
	if it.earlier != nil {
		d.Template = it.earlier.decision.Template
	} else {
		d.Template = o.Digest()
	}
	if !reuseClaim(it, earlier) {
		p.claim(it)
		it.unclaimed = d.Why
	}
	it.previous = p.beforeEvictions(it)
	return it, mistakes
}

// chooseAll decides about each object. CustomResourceDefinitions come first: a cluster that gets one will serve its kind. The objects of
// a group come one after the other, because each depends on those before it.
func (p *Plan) chooseAll(earlier *earlierPlan) {
	p.relations.provided = map[schema.GroupKind]map[string]bool{}
	p.relations.groups, p.relations.scaled = gather(p.items.all), scaled(p.items.all)
	var single, grouped []*item
	for _, it := range p.items.all {
		if together, apart := it.groups(); it.decision.ID.GroupKind() == manifest.DefinitionKind {
			p.decide(it, earlier)
			p.provide(it)
		} else if together+apart != "" {
			grouped = append(grouped, it)
		} else {
			single = append(single, it)
		}
	}
	concurrent.Do(len(single), func(i int) { p.decide(single[i], earlier) })
	for _, it := range grouped {
		p.decide(it, earlier)
	}
	p.needsRoom = slices.ContainsFunc(p.items.all, func(it *item) bool { return it.needsRoom })
}

// decide chooses the clusters of an object, unless the earlier decision about it stands.
func (p *Plan) decide(it *item, earlier *earlierPlan) {
	if !p.reuseChoice(it, earlier) {
		p.choose(it)
	}
	it.ownDecision, it.decided = *it.decision, true
}

// provide records which clusters get a CustomResourceDefinition.
func (p *Plan) provide(it *item) {
	if len(it.decision.Chosen) == 0 {
		return
	}
	on := map[string]bool{}
	for _, c := range it.decision.Chosen {
		on[c.Cluster] = true
	}
	p.relations.provided[manifest.Defines(it.manifest.Get())] = on
}

// Empty reports whether the plan places nothing on any cluster.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Decisions, func(d *decision.Decision) bool { return len(d.Chosen) > 0 })
}
