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
func kinds(inventory *live.Inventory, target propagate.ClusterPlan, leaving []schema.GroupVersionKind) []schema.GroupVersionKind {
	versions := map[schema.GroupKind]schema.GroupVersionKind{}
	for _, kind := range inventory.Kinds() {
		versions[kind] = kind.WithVersion("") // the version that the cluster serves
	}
	for _, kind := range leaving {
		versions[kind.GroupKind()] = kind
	}
	var last schema.GroupVersionKind // plans are in the order of kinds
	for _, p := range target.Objects {
		if p.GVK != last {
			versions[p.GVK.GroupKind()], last = p.GVK, p.GVK
		}
	}
	return slices.Collect(maps.Values(versions))
}

// TargetKinds returns the kinds that the replica that owns the cluster reports as listed.
func (l *State) TargetKinds() []schema.GroupVersionKind { return kinds(nil, l.Target, l.Leaving) }

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
