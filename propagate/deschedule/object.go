package deschedule

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/status/kind"
)

// Object is a workload with everything that the moves of its replicas depend on.
type Object struct {
	// Copies are those of the workload.
	Copies Copies
	// Before is the decision that this one follows.
	Before previous.Decision
	// Template is the digest of the manifest.
	Template string
	// Fresh means that a WorkloadRebalancer requests a new division.
	Fresh bool
	// Kind is that of Manifest, which has the number of replicas and the resources of one.
	Kind     *kind.Kind
	Manifest *manifest.Packed
}

// Failed reports whether a cluster could not schedule replicas that moved away, and nothing changed since. It then gets no more replicas.
//
// A free resource that is not on one node is of no use to a pod, so the free resources that a cluster had then prove nothing. More of them
// do, and so does another manifest.
func (o Object) Failed(c fleet.Cluster) bool {
	_, failed := o.failure(c)
	return failed
}

// failure returns what the cluster had when it failed, while Failed is true.
func (o Object) failure(c fleet.Cluster) (then v1alpha1.DescheduledCluster, failed bool) {
	if o.Fresh || o.Before.Template != "" && o.Before.Template != o.Template {
		return then, false
	}
	i := slices.IndexFunc(o.Before.Descheduled.From, func(x v1alpha1.DescheduledCluster) bool { return x.Cluster == c.Name })
	if i < 0 {
		return then, false
	}
	then = o.Before.Descheduled.From[i]
	now := o.measure(c)
	// Replicas that came later do not prove that they run: accord knows only after the threshold.
	return then, int64(min(now.Running, then.Running))+int64(now.Room) <= int64(then.Running)+int64(then.Room)
}

// measure returns how many replicas run on a cluster, and how many more its free resources suffice for. Pods without a node use none. So
// replicas that leave, of this workload or of another one that cannot be scheduled, make no room.
func (o Object) measure(c fleet.Cluster) v1alpha1.DescheduledCluster {
	if c.Resources != nil {
		running := *c.Resources
		running.Allocating = nil
		c.Resources = &running
	}
	var request corev1.ResourceList
	if o.Kind.Requirements != nil {
		request = o.Kind.Requirements(o.Manifest.Get())
	}
	var total int32
	if o.Kind.Replicas != nil {
		total, _ = o.Kind.Replicas(o.Manifest.Get())
	}
	had := o.Before.Replicas()[c.Name]
	return v1alpha1.DescheduledCluster{Cluster: c.Name, Running: had - o.Copies.On(c.Name, had), Room: divide.Room(c, request, total)}
}

// Remember returns the memory after a decision that has the replicas of after on the clusters of all. moved reports whether this decision
// moves replicas. The description of the last move lasts until the replicas are divided in another way.
func (o Object) Remember(after func() []previous.Cluster, all []fleet.Cluster) (memory previous.Descheduled, moved bool) {
	last := o.Before.Descheduled
	if last.Moves == "" && len(last.From) == 0 && len(o.Copies) == 0 {
		return previous.Descheduled{}, false
	}
	now := previous.Decision{Clusters: after()}
	was, is := o.Before.Replicas(), now.Replicas()
	if memory.Moves = o.Copies.moves(o.Before, now, was, is); memory.Moves == "" && maps.Equal(was, is) {
		memory.Moves = last.Moves
	} else {
		moved = memory.Moves != ""
	}
	for _, c := range all {
		if had := was[c.Name]; o.Copies.On(c.Name, had) > 0 && is[c.Name] < had {
			memory.From = append(memory.From, o.measure(c))
		} else if then, failed := o.failure(c); failed {
			memory.From = append(memory.From, then)
		}
	}
	slices.SortFunc(memory.From, func(a, b v1alpha1.DescheduledCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return memory, moved
}
