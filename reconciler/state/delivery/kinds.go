package delivery

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// kinds returns the kinds that are observed during a delivery, one version each: those of the wanted and of the delivered objects, and
// those of objects with an open eviction from the cluster. The last object of a kind is observed until it is gone.
func kinds(inventory *live.Inventory, target, leaving []schema.GroupVersionKind) []schema.GroupVersionKind {
	versions := map[schema.GroupKind]schema.GroupVersionKind{}
	for _, kind := range inventory.Kinds() {
		versions[kind] = kind.WithVersion("") // the version that the cluster serves
	}
	for _, kind := range leaving {
		versions[kind.GroupKind()] = kind
	}
	for _, kind := range target {
		versions[kind.GroupKind()] = kind
	}
	return slices.Collect(maps.Values(versions))
}

// kindsOf returns the kinds of the objects of a plan, in its order: plans are in the order of kinds. Another plan may have a kind
// several times.
func kindsOf(target propagate.ClusterPlan) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for _, p := range target.Objects {
		if n := len(all); n == 0 || all[n-1] != p.GVK {
			all = append(all, p.GVK)
		}
	}
	return all
}

// TargetKinds returns the kinds of the target.
func (l *State) TargetKinds() []schema.GroupVersionKind {
	if !sameList(l.listedKinds.of, l.Target.Objects) {
		l.listedKinds = listedKinds{l.Target.Objects, kindsOf(l.Target)}
	}
	return l.listedKinds.kinds
}

// listedKinds has the kinds of a list of objects.
type listedKinds struct {
	of    []propagate.Placed
	kinds []schema.GroupVersionKind
}

// ReportedKinds returns the kinds that the replica that owns the cluster reports as listed.
func (l *State) ReportedKinds() []schema.GroupVersionKind {
	return kinds(nil, l.TargetKinds(), l.Leaving)
}

// LeavingKinds returns the kinds of the objects with an open eviction from a cluster, sorted.
func LeavingKinds(plan *propagate.Plan, cluster string) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for id, tasks := range plan.Evictions() {
		d := plan.Decision(id)
		leaves := slices.ContainsFunc(tasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.Open() && t.FromCluster == cluster })
		if d != nil && leaves && !slices.Contains(all, d.GVK) {
			all = append(all, d.GVK)
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return all
}
