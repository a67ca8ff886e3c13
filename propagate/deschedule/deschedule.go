// Package deschedule finds the replicas that a cluster cannot schedule for too long (Karmada 4.11), and describes where they moved.
//
// Package divide moves them: the cluster gets fewer replicas, and clusters with free resources get the difference. It moves no more than
// these have room for. The decision remembers the cluster, which gets no replicas back until something changed: two clusters that both
// cannot schedule a replica would pass it back and forth otherwise.
package deschedule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/previous"
)

// Copy is a workload on one cluster that cannot schedule some of its replicas.
type Copy struct {
	ID      manifest.ID `json:"id"`
	Cluster string      `json:"cluster"`
	// Replicas that the cluster cannot schedule, Of as many as the workload has there.
	Replicas int32 `json:"replicas"`
	Of       int32 `json:"of"`
}

// Copies are sorted by object and cluster, and name each pair once. They never change.
type Copies []Copy

// Sorted returns copies in their order.
func Sorted(copies []Copy) Copies {
	return slices.SortedFunc(slices.Values(copies), func(a, b Copy) int {
		return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(a.Cluster, b.Cluster))
	})
}

// Of returns the copies of one object.
func (c Copies) Of(id manifest.ID) Copies {
	first, found := slices.BinarySearchFunc(c, id, func(x Copy, id manifest.ID) int { return x.ID.Compare(id) })
	if !found {
		return nil
	}
	end := first
	for end < len(c) && c[end].ID == id {
		end++
	}
	return c[first:end:end]
}

// On returns how many replicas of one object a cluster cannot schedule. It is 0 unless the object is decided to have the observed number
// of replicas there: the observation is about an earlier decision, or an autoscaler on the cluster sets the number.
func (c Copies) On(cluster string, replicas int32) int32 {
	for _, x := range c {
		if x.Cluster == cluster && x.Of == replicas {
			return max(0, x.Replicas)
		}
	}
	return 0
}

// Text returns the copies as text, for a digest; empty without any.
func (c Copies) Text() string {
	if len(c) == 0 {
		return ""
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Changed returns the objects whose copies differ.
func Changed(before, after Copies) map[manifest.ID]bool {
	changed := map[manifest.ID]bool{}
	for _, list := range []Copies{before, after} {
		for _, x := range list {
			if !slices.Equal(before.Of(x.ID), after.Of(x.ID)) {
				changed[x.ID] = true
			}
		}
	}
	return changed
}

// Applies reports whether the replicas of the objects of a policy may move: it divides them by the free resources of clusters, and is not
// Lazy.
func Applies(p *policy.Policy) bool {
	if p == nil || p.Spec.ActivationPreference == policy.Lazy {
		return false
	}
	s := p.Spec.Placement.ReplicaScheduling
	return s != nil && s.ReplicaSchedulingType == policy.Divided &&
		(s.ReplicaDivisionPreference == policy.Aggregated || s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "")
}

// Count returns how many of the replicas of a workload are unschedulable since before now minus the threshold. It never counts the ready
// ones: during a rolling update a workload has more pods than replicas.
func Count(pods []corev1.Pod, replicas int32, threshold time.Duration, now time.Time) int32 {
	var stuck, ready int32
	for i := range pods {
		if pods[i].DeletionTimestamp != nil {
			continue
		}
		for _, c := range pods[i].Status.Conditions {
			switch {
			case c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue:
				ready++
			case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable &&
				now.Sub(c.LastTransitionTime.Time) > threshold:
				stuck++
			}
		}
	}
	return max(0, min(stuck, replicas-ready))
}

// moves describes the replicas that moved between two decisions; empty if none did.
func (c Copies) moves(before, now previous.Decision, was, is map[string]int32) string {
	var from, to []string
	var moved int32
	for _, x := range before.Clusters {
		if had := was[x.Name]; c.On(x.Name, had) > 0 && is[x.Name] < had {
			moved += had - is[x.Name]
			from = append(from, fmt.Sprintf("%s could not schedule %d of %s", x.Name, had-is[x.Name], phrase.Count(int(had), "replica")))
		}
	}
	if len(from) == 0 {
		return ""
	}
	for _, x := range now.Clusters {
		if more := min(is[x.Name]-was[x.Name], moved); more > 0 { // replicas beyond those that moved are new
			moved -= more
			to = append(to, fmt.Sprintf("%s has %d more", x.Name, more))
		}
	}
	return phrase.Cut(strings.Join(append(from, to...), ", "), maxDescription)
}

// maxDescription bounds a description: an object may be on a thousand clusters.
const maxDescription = 256
