// Package eviction has the effect of the evictions of one object on its clusters and on its old copies (Karmada 5.5).
//
// Package failover decides about the tasks; a plan only follows them:
//
//	task                           the cluster                            the old copy
//	open, Gracefully or Never      gets no replica                        kept as it is
//	open, Directly                 gets no replica; new clusters are held deleted
//	open, deletion suppressed      gets no replica                        kept as it is
//	completed                      is chosen only if no other fits        deleted
//	cancelled                      gets its replicas back                 stays
//
// A completed task does not move the object away again: the cluster keeps what it has.
package eviction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Tasks are the evictions of one object, at most one for each cluster, sorted by cluster. They never change.
type Tasks []v1alpha1.GracefulEvictionTask

// Sorted returns tasks in the order of their clusters.
func Sorted(tasks []v1alpha1.GracefulEvictionTask) Tasks {
	byCluster := func(a, b v1alpha1.GracefulEvictionTask) int { return cmp.Compare(a.FromCluster, b.FromCluster) }
	if !slices.IsSortedFunc(tasks, byCluster) {
		tasks = slices.SortedFunc(slices.Values(tasks), byCluster)
	}
	return Tasks(tasks)
}

// Recorded returns the tasks that FederatedObjects record, by object.
func Recorded(objects []v1alpha1.FederatedObject) map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	tasks := map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
	for i := range objects {
		if s := &objects[i].Spec; len(s.GracefulEvictionTasks) > 0 {
			tasks[s.Template.ID()] = s.GracefulEvictionTasks
		}
	}
	return tasks
}

// Equal reports whether two lists have the same tasks. Times are equal if they are the same instant.
func (t Tasks) Equal(other Tasks) bool {
	return slices.EqualFunc(t, other, func(a, b v1alpha1.GracefulEvictionTask) bool {
		return a.FromCluster == b.FromCluster && a.PurgeMode == b.PurgeMode && ptr.Equal(a.Replicas, b.Replicas) && a.Reason == b.Reason &&
			a.Message == b.Message && a.Producer == b.Producer && ptr.Equal(a.GracePeriodSeconds, b.GracePeriodSeconds) &&
			ptr.Equal(a.SuppressDeletion, b.SuppressDeletion) && a.CreationTimestamp.Equal(&b.CreationTimestamp) &&
			maps.Equal(a.PreservedLabelState, b.PreservedLabelState) && slices.Equal(a.ClustersBeforeFailover, b.ClustersBeforeFailover) &&
			a.CompletionTimestamp.Equal(b.CompletionTimestamp) && a.Cancelled == b.Cancelled
	})
}

// Text returns the tasks as text, for a digest. Times count in seconds, as the hub has them.
func (t Tasks) Text() string {
	text, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Changed returns the objects whose tasks differ.
func Changed(before, after map[manifest.ID][]v1alpha1.GracefulEvictionTask) map[manifest.ID]bool {
	changed := map[manifest.ID]bool{}
	for id, tasks := range after {
		if !Sorted(tasks).Equal(Sorted(before[id])) {
			changed[id] = true
		}
	}
	for id, tasks := range before {
		if len(tasks) > 0 && len(after[id]) == 0 {
			changed[id] = true
		}
	}
	return changed
}

// find returns the task of a cluster, with its index; nil without one.
func (t Tasks) find(cluster string) (int, *v1alpha1.GracefulEvictionTask) {
	i, found := slices.BinarySearchFunc(t, cluster, func(x v1alpha1.GracefulEvictionTask, name string) int {
		return strings.Compare(x.FromCluster, name)
	})
	if !found {
		return 0, nil
	}
	return i, &t[i]
}

// Open reports whether an eviction is under way.
func (t Tasks) Open() bool { return slices.ContainsFunc(t, v1alpha1.GracefulEvictionTask.Open) }

// Completed reports whether an eviction is completed, and its cluster not preferred yet.
func (t Tasks) Completed() bool {
	return slices.ContainsFunc(t, func(x v1alpha1.GracefulEvictionTask) bool { return !x.Open() })
}

// Refused returns the clusters that the object must not get, each with the reason. on are the clusters with the object. With
// returning, the clusters of completed tasks are allowed.
func (t Tasks) Refused(on map[string]bool, returning bool) map[string]string {
	var refused map[string]string
	for _, x := range t {
		if !x.Open() && (returning || x.Cancelled || on[x.FromCluster]) {
			continue
		}
		if refused == nil {
			refused = map[string]string{}
		}
		refused[x.FromCluster] = reason(x)
	}
	return refused
}

// reason returns the reason against a cluster, as a sentence about the cluster.
func reason(x v1alpha1.GracefulEvictionTask) string {
	if x.Open() {
		return fmt.Sprintf("is evicted: %s since %s", x.Reason, instant(x.CreationTimestamp.Time))
	}
	return fmt.Sprintf("was evicted: %s, completed %s, and is not preferred during the cooldown", x.Reason, instant(x.CompletionTimestamp.Time))
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// At returns the place of the task of a cluster in the FederatedObject.
func (t Tasks) At(cluster string) manifest.Origin {
	i, _ := t.find(cluster)
	return manifest.Origin{Path: fmt.Sprintf("FederatedObject spec.gracefulEvictionTasks[%d]", i)}
}

// KeepReason returns the reason why the old copy on a cluster stays as it is; empty if no eviction keeps it. An eviction also keeps the
// copies on other clusters that the object leaves because of it: another term or region may be in use without the evicted cluster.
func (t Tasks) KeepReason(cluster string) string {
	_, x := t.find(cluster)
	if x == nil || !x.Open() {
		for _, other := range t {
			if x == nil && other.Open() && other.PurgeMode != v1alpha1.PurgeDirectly && slices.Contains(other.ClustersBeforeFailover, cluster) {
				return fmt.Sprintf("it is evicted from %s (%s), and stays here until a replacement is healthy", other.FromCluster, other.Reason)
			}
		}
		return ""
	}
	switch {
	case ptr.Deref(x.SuppressDeletion, false):
		return fmt.Sprintf("it is evicted from %s (%s), and its eviction has suppressDeletion: true", cluster, x.Reason)
	case x.PurgeMode == v1alpha1.PurgeDirectly:
		return ""
	}
	return fmt.Sprintf("it is evicted from %s (%s), and stays until its replacement is healthy", cluster, x.Reason)
}

// Leave reports whether an eviction moves or has moved the object away from a cluster.
func (t Tasks) Leave(cluster string) bool {
	_, x := t.find(cluster)
	return x != nil && !x.Cancelled
}

// Purges reports whether an eviction deletes the old copy on a cluster that is not to have the object.
func (t Tasks) Purges(cluster string) bool {
	_, x := t.find(cluster)
	return x != nil && !x.Cancelled && t.KeepReason(cluster) == ""
}

// HoldReason returns the reason why a cluster does not get the object yet: a Directly eviction applies the replacement only after the
// old copy is deleted. It is empty for a cluster that had the object before.
func (t Tasks) HoldReason(cluster string) string {
	for _, x := range t {
		if x.Open() && x.PurgeMode == v1alpha1.PurgeDirectly && !ptr.Deref(x.SuppressDeletion, false) && !slices.Contains(x.ClustersBeforeFailover, cluster) && x.FromCluster != cluster {
			return fmt.Sprintf("it waits until %s has deleted its copy", x.FromCluster)
		}
	}
	return ""
}

// PreservedLabels returns the labels for a replacement on a cluster, the only one with the object (Karmada 5.6): the last eviction is
// Directly, and the cluster did not have the object before. It returns nil without any.
func (t Tasks) PreservedLabels(cluster string) map[string]string {
	if len(t) == 0 {
		return nil
	}
	last := slices.MaxFunc(t, func(a, b v1alpha1.GracefulEvictionTask) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	if last.PurgeMode != v1alpha1.PurgeDirectly || last.Cancelled || slices.Contains(last.ClustersBeforeFailover, cluster) {
		return nil
	}
	return last.PreservedLabelState
}
