package propagate

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/status/kind"
)

// items are the objects of a plan.
type items struct {
	all       []*item // in apply order
	byID      map[manifest.ID]*item
	byCluster []*clusterItems // parallel to members.all
}

// relations are the effects of the objects of a plan on each other.
type relations struct {
	groups     groups
	provided   map[schema.GroupKind]map[string]bool // clusters that get the CustomResourceDefinition of a kind
	dependents map[manifest.ID][]*item              // the objects that need each as a dependency
	scaled     map[manifest.ID]bool                 // by a HorizontalPodAutoscaler in Git
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

// on reports whether the object goes to a cluster.
func (it *item) on(cluster string) bool {
	_, there := slices.BinarySearchFunc(it.decision.Chosen, cluster, func(c Choice, name string) int { return strings.Compare(c.Cluster, name) })
	return there
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

func (p *Plan) add(it *item) *item {
	it.candidates = p.rules.overrides.Candidates(it.manifest)
	p.items.all = append(p.items.all, it)
	p.items.byID[it.decision.ID] = it
	return it
}

// assign gives every cluster its list, in apply order.
func (p *Plan) assign(earlier *earlierPlan) {
	slices.SortFunc(p.items.all, func(a, b *item) int { return applyorder.Compare(a.decision.ID, b.decision.ID) })
	p.makeRoom()
	for _, it := range p.items.all {
		it.overwrite = it.takesOver()
		p.reuseResults(it, earlier)
		it.earlier = nil
		for i := range it.decision.Chosen {
			choice := &it.decision.Chosen[i]
			t := p.items.byCluster[p.members.index[choice.Cluster]]
			t.items = append(t.items, assigned{it, choice})
		}
	}
}

// makeRoom allocates the list of each cluster: a plan can have a million items.
func (p *Plan) makeRoom() {
	counts := make([]int, len(p.members.all))
	for _, it := range p.items.all {
		for _, c := range it.decision.Chosen {
			counts[p.members.index[c.Cluster]]++
		}
	}
	p.items.byCluster = make([]*clusterItems, len(counts))
	for i, n := range counts {
		p.items.byCluster[i] = &clusterItems{items: make([]assigned, 0, n)}
	}
}
