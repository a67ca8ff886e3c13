package propagate

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// Plan is the desired content of every cluster. It never changes; all methods are safe for concurrent use.
type Plan struct {
	// Decisions, one for every object, sorted by ID.
	Decisions []Decision

	clusters       []fleet.Cluster // sorted by name, with the taints after ClusterTaintPolicies
	index          map[string]int  // of clusters, by name
	book           *interpret.Book
	interpretersID string // identifies book
	exclusions     exclusions
	skip           Skip // the source of exclusions
	policies       []policy.Policy
	claims         *claims
	overrides      *overrides
	previous       map[manifest.ID]Previous
	rebalancers    map[manifest.ID][]string
	applySet       string

	items      []*item // in apply order
	byID       map[manifest.ID]*item
	groups     groups
	provided   map[schema.GroupKind]map[string]bool // clusters that get the CustomResourceDefinition of a kind
	dependents map[manifest.ID][]*item              // the objects that need each as a dependency
	rollouts   *rollouts                            // nil when everything changes at once
	holds      map[string]string                    // reasons of people who hold a cluster, by name; nil without holds
	scaled     map[manifest.ID]bool                 // by a HorizontalPodAutoscaler in Git
	needsRoom  bool
	moved      map[*unstructured.Unstructured]*unstructured.Unstructured // manifests that were given a namespace
	identity   *byte                                                     // identifies this plan
	madeFrom   *byte                                                     // identity of the plan that it was made from
	earlier    *earlierPlan                                              // only while this plan is made; nil without one
	byCluster  []*clusterItems                                           // parallel to clusters
	digest     func() string
}

// item is one object on its way to clusters.
type item struct {
	decision   *Decision
	manifest   *unstructured.Unstructured
	kind       kind.Kind
	candidates []int // the overrides that may select the object
	decided    bool  // its clusters are chosen
	overwrite  bool  // it takes over an existing object of another owner
	preserve   bool  // it stays when no longer wanted, because another object needs it

	source      *unstructured.Unstructured // manifest as the input has it; nil for objects that only this plan has
	earlier     *item                      // of the earlier plan, with the same manifest; only while a plan is made
	ownDecision Decision                   // by its own policy, before dependencies and namespaces are added
	unclaimed   string                     // the reason why no policy claims it
	unchanged   bool                       // everything about it is as in the earlier plan
	needsRoom   bool

	mu       sync.Mutex
	results  []result
	reusable []result // results of the earlier plan
	digest   Sum
	digested bool
}

// clusterItems has the items of a cluster and the answer of ForCluster, made once.
type clusterItems struct {
	once   sync.Once
	items  []assigned // in apply order
	plan   ClusterPlan
	digest string
}

// assigned is an item that goes to a cluster.
type assigned struct {
	item   *item
	choice *Choice
}

// New decides everything about in: which policy claims each object, which clusters get it, how many replicas, and which
// objects are held. It fails only for duplicates and unusable scripts about kinds, each a *manifest.Error, and for a
// Skip that cannot be parsed. Rendering comes later (ForCluster).
func New(in Input) (*Plan, error) { return newPlan(in, nil) }

// newPlan makes a plan and reuses parts of the last one, which may be nil.
func newPlan(in Input, last *Plan) (*Plan, error) {
	rules, skipErr := in.Skip.exclusions()
	moved := map[*unstructured.Unstructured]*unstructured.Unstructured{}
	objects, err := normalize(in, last.placed, moved)
	book, bookErr := last.interpreters(in)
	if err := errors.Join(err, skipErr, bookErr); err != nil {
		return nil, err
	}
	in.Policies, in.Overrides = slices.Clone(in.Policies), slices.Clone(in.Overrides) // the caller may sort its own
	p := &Plan{
		clusters: tainted(in.Fleet, in.TaintPolicies), index: map[string]int{},
		book: book, interpretersID: interpretersID(in), exclusions: rules, skip: in.Skip, policies: in.Policies, moved: moved, rebalancers: rebalancersOf(in.Rebalancers),
		previous: make(map[manifest.ID]Previous, len(in.Previous)), applySet: applyset.ID(in.Federation),
	}
	for i, c := range p.clusters {
		p.index[c.Name] = i
		p.byCluster = append(p.byCluster, &clusterItems{})
	}
	for _, b := range in.Previous {
		p.previous[b.ID] = b
	}
	p.overrides, p.rollouts, p.holds = newOverrides(in.Overrides, p.clusters), p.newRollouts(in.Rollouts), p.holdsAt(in.Now)
	if p.earlier = p.reusable(last); p.earlier != nil && p.earlier.sameDecisions {
		p.policies, p.claims = last.policies, last.claims
	} else {
		p.claims = newClaims(in.Policies)
	}
	p.claimAll(objects)
	p.chooseAll()
	p.attach()
	p.implyNamespaces()
	p.assign()
	p.earlier = nil
	if p.identity = new(byte); last != nil {
		p.madeFrom = last.identity
	}
	p.digest = sync.OnceValue(p.computeDigest)
	return p, nil
}

// interpreters returns the customizations of users; nil when there are none. It reuses those of p, which may be nil.
func (p *Plan) interpreters(in Input) (*interpret.Book, error) {
	if len(in.Customizations) == 0 && len(in.Health) == 0 {
		return nil, nil
	}
	if p != nil && p.interpretersID == interpretersID(in) {
		return p.book, nil
	}
	return interpret.New(in.Customizations, in.Health)
}

// interpretersID identifies the customizations of an input: empty for none.
func interpretersID(in Input) string {
	if len(in.Customizations) == 0 && len(in.Health) == 0 {
		return ""
	}
	var b bytes.Buffer
	for _, c := range slices.SortedFunc(slices.Values(in.Customizations), func(a, b policy.Customization) int { return cmp.Compare(a.Name, b.Name) }) {
		writeLine(&b, c.Name, c.Spec.Target.APIVersion, c.Spec.Target.Kind)
		for _, op := range policy.Operations() {
			writeLine(&b, c.Script(op))
		}
	}
	for _, h := range in.Health {
		writeLine(&b, h.APIVersion, h.Kind, h.Current, h.InProgress, h.Failed)
	}
	return sum(b.Bytes())
}

// Clusters returns the names of the whole fleet, sorted.
func (p *Plan) Clusters() []string {
	names := make([]string, len(p.clusters))
	for i, c := range p.clusters {
		names[i] = c.Name
	}
	return names
}

// claimAll makes an item of each object, with its policy.
func (p *Plan) claimAll(objects []object) {
	p.Decisions = make([]Decision, len(objects))
	p.byID = make(map[manifest.ID]*item, len(objects))
	for i, o := range objects {
		d := &p.Decisions[i]
		*d = Decision{ID: o.id, GVK: o.manifest.GroupVersionKind(), Origin: o.origin}
		it := p.add(&item{
			decision: d, manifest: o.manifest, kind: p.book.Of(o.id.GroupKind()),
			source: o.source, earlier: p.earlier.item(o.id, o.source, o.origin),
		})
		if it.earlier != nil {
			d.Template = it.earlier.decision.Template
		} else {
			d.Template = render.Digest(o.manifest)
		}
		if !p.reuseClaim(it) {
			p.claim(it)
			it.unclaimed = d.Why
		}
	}
}

// chooseAll decides about each object. CustomResourceDefinitions come first: a cluster that gets one will serve its kind.
func (p *Plan) chooseAll() {
	p.provided = map[schema.GroupKind]map[string]bool{}
	p.groups, p.scaled = gather(p.items), scaled(p.items)
	for _, definitions := range []bool{true, false} {
		for _, it := range p.items {
			if (it.decision.ID.GroupKind() == crdKind) == definitions {
				if !p.reuseChoice(it) {
					p.choose(it)
				}
				it.ownDecision, p.needsRoom = *it.decision, p.needsRoom || it.needsRoom
				p.provide(it)
			}
		}
	}
}

// provide records which clusters get a CustomResourceDefinition.
func (p *Plan) provide(it *item) {
	it.decided = true
	if it.decision.ID.GroupKind() != crdKind || len(it.decision.Chosen) == 0 {
		return
	}
	on := map[string]bool{}
	for _, c := range it.decision.Chosen {
		on[c.Cluster] = true
	}
	p.provided[manifest.Defines(it.manifest)] = on
}

func (p *Plan) add(it *item) *item {
	it.candidates = p.overrides.candidates(it.manifest)
	p.items = append(p.items, it)
	p.byID[it.decision.ID] = it
	return it
}

// assign gives every cluster its list, in apply order.
func (p *Plan) assign() {
	slices.SortFunc(p.items, func(a, b *item) int { return byApplyOrder(a.decision.ID, b.decision.ID) })
	p.makeRoom()
	for _, it := range p.items {
		it.overwrite = it.takesOver()
		p.reuseResults(it)
		it.earlier = nil
		for i := range it.decision.Chosen {
			choice := &it.decision.Chosen[i]
			t := p.byCluster[p.index[choice.Cluster]]
			t.items = append(t.items, assigned{it, choice})
		}
	}
}

// makeRoom allocates the list of each cluster: a plan can have a million items.
func (p *Plan) makeRoom() {
	counts := make([]int, len(p.byCluster))
	for _, it := range p.items {
		for _, c := range it.decision.Chosen {
			counts[p.index[c.Cluster]]++
		}
	}
	for i, t := range p.byCluster {
		t.items = make([]assigned, 0, counts[i])
	}
}

// Empty reports whether the plan places nothing on any cluster.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Decisions, func(d Decision) bool { return len(d.Chosen) > 0 })
}
