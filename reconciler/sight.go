package reconciler

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

// sight is what a plan can see of the clusters beside what is declared of them and what they serve: changes of anything
// else need no new plan.
type sight struct {
	conditions bool // there are ClusterTaintPolicies
	room       bool // replicas are divided by what room there is
}

// digest identifies what is seen of a cluster but its room: that moves all the time, see room. Whether its room is known
// is in it.
func (s sight) digest(c v1alpha1.Cluster) string {
	seen := []any{c.Name, c.Labels, c.Spec, c.DeletionTimestamp != nil, taintsOf(c), kindsOf(c.Status)}
	if s.conditions {
		seen = append(seen, fleet.From(c, manifest.Origin{}).Conditions)
	}
	if s.room {
		seen = append(seen, c.Status.ResourceSummary != nil)
	}
	return digestOf(seen)
}

// digests identifies what is seen of the whole fleet, sorted by name, and apart from it the room that it has.
func (s sight) digests(members []v1alpha1.Cluster) (seen, room string) {
	all, rooms := make([]string, len(members)), make([]*fleet.Resources, len(members))
	for i, m := range members {
		all[i] = s.digest(m)
		if s.room {
			rooms[i] = fleet.From(m, manifest.Origin{}).Resources
		}
	}
	return digestOf(all), digestOf(rooms)
}

// taintsOf are those that policies put on a cluster, without their times.
func taintsOf(c v1alpha1.Cluster) []corev1.Taint {
	taints := slices.Clone(c.Status.Taints)
	for i := range taints {
		taints[i].TimeAdded = nil
	}
	return taints
}

// kindsOf is what a cluster serves as a set.
func kindsOf(s v1alpha1.ClusterStatus) []string {
	var kinds []string
	for _, e := range s.APIEnablements {
		for _, r := range e.Resources {
			kinds = append(kinds, e.GroupVersion+" "+r.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func digestOf(value any) string {
	text, _ := json.Marshal(value) // strings, numbers, and types of the API: they always encode
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
