// Package inputkey identifies the inputs of a plan: the same key needs no second plan.
package inputkey

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/eviction"
)

// Key identifies everything that a plan is made from. The same key needs no second plan.
type Key struct {
	Revision   string
	Trees      string // content of the sources
	Generation int64  // of the Federation
	AllowPrune bool
	Retry      string // of a revision that was refused because it killed the process
	Tenant     string // the Tenant with its generation; empty for none
	View       View
	Fleet      string // digest of the fields of the clusters that View sees, except their free resources
	Room       string // digest of their free resources, if View sees them
	Held       string // digest of the clusters that people put on hold
	Evictions  string // digest of the eviction tasks; empty for none
	// Federations names those of the hub that the Federation declares; empty for none.
	Federations string
	// Unschedulable identifies the replicas that the descheduler may move; empty for none.
	Unschedulable string
}

// New returns the key of a plan for some clusters, which are sorted by name. The caller adds the revisions of the
// sources.
func New(generation int64, members []v1alpha1.Cluster, view View, now time.Time) Key {
	k := Key{Generation: generation, View: view, Held: heldClusters(members, now)}
	k.Fleet, k.Room = view.digests(members)
	return k
}

// Unchanged reports whether nothing has changed since k that needs a new plan now. Free resources change all the time:
// they count when anything else changed, and otherwise once an interval of the Federation. Replicas that are scheduled meanwhile need no
// plan.
func (k Key) Unchanged(next Key, age, interval time.Duration) bool {
	if age < interval {
		next.Room = k.Room
	}
	if next.Unschedulable == "" {
		next.Unschedulable = k.Unschedulable
	}
	return k == next
}

// View has the facts about the clusters that a plan depends on, beside their declaration and the kinds that they serve: changes of
// other fields need no new plan.
type View struct {
	Conditions bool // the plan has ClusterTaintPolicies
	Room       bool // the plan divides replicas by free resources
}

// Sees reports whether the view distinguishes two states of a Cluster.
func (v View) Sees(before, after v1alpha1.Cluster) bool {
	kinds := servedKinds{}
	return v.digest(before, kinds) != v.digest(after, kinds)
}

// digest identifies the fields of a cluster that the view sees, except its free resources. Whether these are known is part of it.
func (v View) digest(c v1alpha1.Cluster, kinds servedKinds) string {
	seen := []any{c.Name, c.Labels, c.Spec, c.DeletionTimestamp != nil, policyTaints(c), kinds.digest(c.Status.APIEnablements)}
	if v.Conditions {
		seen = append(seen, fleet.From(c, manifest.Origin{}).Conditions)
	}
	if v.Room {
		seen = append(seen, c.Status.ResourceSummary != nil)
	}
	return digestOf(seen)
}

// digests identifies the whole fleet, sorted by name, and apart from it the free resources.
func (v View) digests(members []v1alpha1.Cluster) (seen, room string) {
	all, rooms, kinds := make([]string, len(members)), make([]*fleet.Resources, len(members)), servedKinds{}
	for i, m := range members {
		all[i] = v.digest(m, kinds)
		if v.Room {
			rooms[i] = fleet.From(m, manifest.Origin{}).Resources
		}
	}
	return digestOf(all), digestOf(rooms)
}

// policyTaints returns the taints that policies put on a cluster, without their times.
func policyTaints(c v1alpha1.Cluster) []corev1.Taint {
	taints := slices.Clone(c.Status.Taints)
	for i := range taints {
		taints[i].TimeAdded = nil
	}
	return taints
}

// servedKinds has the digests of lists of kinds, by the first entry of each list and its length: most clusters of a fleet serve the same
// kinds, and share one list.
type servedKinds map[servedList]string

type servedList struct {
	first  *v1alpha1.APIEnablement
	length int
}

// digest identifies the kinds that a cluster serves, in any order; empty for none.
func (k servedKinds) digest(served []v1alpha1.APIEnablement) string {
	if len(served) == 0 {
		return ""
	}
	list := servedList{&served[0], len(served)}
	if known, is := k[list]; is {
		return known
	}
	var kinds []string
	for _, e := range served {
		for _, r := range e.Resources {
			kinds = append(kinds, e.GroupVersion+" "+r.Kind+" "+r.Scope)
		}
	}
	slices.Sort(kinds)
	k[list] = digestOf(kinds)
	return k[list]
}

// heldClusters identifies the clusters that are on hold now: when a hold ends, the plan is another one.
func heldClusters(members []v1alpha1.Cluster, now time.Time) string {
	var held []string
	for _, m := range members {
		if m.Spec.Hold.In(now) {
			held = append(held, m.Name)
		}
	}
	slices.Sort(held)
	if len(held) == 0 {
		return ""
	}
	return digestOf(held)
}

// Evictions identifies the eviction tasks of all objects; empty for none.
func Evictions(tasks map[manifest.ID][]v1alpha1.GracefulEvictionTask) string {
	if len(tasks) == 0 {
		return ""
	}
	var all []any
	for _, id := range slices.SortedFunc(maps.Keys(tasks), manifest.ID.Compare) {
		all = append(all, id.Entry(), eviction.Sorted(tasks[id]).Text())
	}
	return digestOf(all)
}

func digestOf(value any) string {
	text, _ := json.Marshal(value) // strings, numbers, and types of the API: they always encode
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
