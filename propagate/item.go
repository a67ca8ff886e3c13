package propagate

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/kind"
)

// items are the objects of a plan.
type items struct {
	inGit     []*item         // parallel to the decisions, sorted by ID
	implied   []*item         // the Namespaces that are not in Git, sorted by ID
	written   []render.Object // Input.Objects
	inputs    []*item         // parallel to written
	all       []*item         // in apply order
	byCluster []*clusterItems // parallel to members.All
}

// get returns the item of an object.
func (i *items) get(id manifest.ID) (*item, bool) {
	if it, known := i.ofGit(id); known {
		return it, true
	}
	if at, known := search(i.implied, id); known {
		return i.implied[at], true
	}
	return nil, false
}

// ofGit returns the item of an object in Git.
func (i *items) ofGit(id manifest.ID) (*item, bool) {
	if at, known := search(i.inGit, id); known {
		return i.inGit[at], true
	}
	return nil, false
}

func search(items []*item, id manifest.ID) (at int, known bool) {
	return slices.BinarySearchFunc(items, id, func(it *item, id manifest.ID) int { return it.decision.ID.Compare(id) })
}

// relations are the effects of the objects of a plan on each other.
type relations struct {
	groups     groups
	provided   map[schema.GroupKind]map[string]bool // clusters that get the CustomResourceDefinition of a kind
	attaches   bool                                 // a policy sends the dependencies of its objects along
	dependents map[manifest.ID][]manifest.ID        // the objects that need each as a dependency
	scaled     map[manifest.ID]bool                 // by a HorizontalPodAutoscaler in Git
}

// item is one object on its way to clusters. Plans share it while nothing about the object changes.
type item struct {
	decision   *decision.Decision
	manifest   *manifest.Packed
	kind       kind.Kind
	candidates []int // the overrides that may select the object
	facts      facts
	decided    bool // its clusters are chosen
	overwrite  bool // it takes over an existing object of another owner
	preserve   bool // it stays when no longer wanted, because another object needs it

	source      *manifest.Packed   // manifest as the input has it; nil for objects that only this plan has
	earlier     *item              // of the earlier plan, with the same manifest; only while a plan is made
	ownDecision decision.Decision  // by its own policy, before dependencies and namespaces are added
	previous    *previous.Decision // decision of Input.Previous; nil for none
	unclaimed   string             // the reason why no policy claims it
	needsRoom   bool

	mu       sync.Mutex
	results  []result
	reusable []result // results of the earlier plan
	digest   digest.Sum
	digested bool
}

// facts are kept from the manifest, because decoding it again costs more.
type facts struct {
	conflict string // its annotation about an existing object of another owner
	replicas int32
	workload bool // it has replicas
	retained bool // its label leaves the replicas to an autoscaler on the member
}

// last returns the previous decision, zero for none.
func (it *item) last() previous.Decision {
	if it.previous == nil {
		return previous.Decision{}
	}
	return *it.previous
}

// declared reports whether the object is in Git. All others are Namespaces that objects need.
func (it *item) declared() bool { return it.source != nil }

// clusterItems has the items of a cluster and the answer of ForCluster, made once.
type clusterItems struct {
	items  []assigned // in apply order
	once   concurrent.Once
	plan   ClusterPlan
	digest digest.List

	base    *clusterItems // made without a failure, with the items of out instead of those of in; nil for none
	out, in []assigned
}

// assigned is an item that goes to a cluster.
type assigned struct {
	item   *item
	choice *decision.Choice
}

// assign gives every cluster its list, in apply order.
func (p *Plan) assign(earlier *earlierPlan) {
	slices.SortFunc(p.items.all, func(a, b *item) int { return applyorder.Compare(a.decision.ID, b.decision.ID) })
	p.makeRoom()
	for _, it := range p.items.all {
		p.finishItem(it, earlier)
		for i := range it.decision.Chosen {
			choice := &it.decision.Chosen[i]
			t := p.items.byCluster[p.members.Index[choice.Cluster]]
			t.items = append(t.items, assigned{it, choice})
		}
	}
}

// finishItem takes over what was rendered of an item, once its decision is complete.
func (p *Plan) finishItem(it *item, earlier *earlierPlan) {
	it.overwrite = it.decision.TakesOver(it.facts.conflict)
	if !p.reuseResults(it, earlier) {
		p.lineage.changed[it.decision.ID] = true
	}
	it.earlier = nil
}

// makeRoom allocates the list of each cluster: a plan can have a million items.
func (p *Plan) makeRoom() {
	counts := make([]int, len(p.members.All))
	for _, it := range p.items.all {
		for _, c := range it.decision.Chosen {
			counts[p.members.Index[c.Cluster]]++
		}
	}
	p.items.byCluster = make([]*clusterItems, len(counts))
	for i, n := range counts {
		p.items.byCluster[i] = &clusterItems{items: make([]assigned, 0, n)}
	}
}
