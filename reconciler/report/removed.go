package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

const (
	// replicasDescheduled is the reason of the event about replicas that the descheduler moved.
	replicasDescheduled = "ReplicasDescheduled"
	// ClusterRemoved is the reason of the event that lists the objects that stay on a removed cluster.
	ClusterRemoved = "ClusterRemoved"
	// invalidAnnotation is the reason of the event that an annotation has no valid value.
	invalidAnnotation = "InvalidAnnotation"
	// namedObjects bounds the objects that an event names.
	namedObjects = 10
)

// Part lists the objects on a removed cluster in the status of a Federation, and emits an event once. A repeated call changes
// nothing.
func (r *Reporter) Part(ctx context.Context, f *state.Federation, p status.Removal) error {
	news := false
	about, err := r.amendRemoved(ctx, f, func(l status.RemovedClusters) (next status.RemovedClusters) {
		next, news = l.Add(p, time.Now())
		return next
	})
	if err != nil {
		return fmt.Errorf("recording the objects that stay on cluster %s: %w", p.Cluster, err)
	}
	if news {
		r.emit(changes.Event{About: about, Type: changes.Warning, Reason: ClusterRemoved, Message: fmt.Sprintf(
			"cluster %s was removed; %s %s left in place: %s", p.Cluster, phrase.Count(len(p.Inventory), "delivered object"),
			phrase.Plural(len(p.Inventory), "was", "were"), named(p.Inventory))})
	}
	return nil
}

// Returned takes a cluster that is back off the removed clusters, if its Delivery lists its objects again. It reports
// whether that is still to come.
func (r *Reporter) Returned(ctx context.Context, f *state.Federation, cluster string) (waits bool, err error) {
	removed, back := f.Returned(cluster)
	if !removed || !back {
		return removed, nil
	}
	_, err = r.amendRemoved(ctx, f, func(l status.RemovedClusters) status.RemovedClusters { return l.Without(cluster) })
	return false, err
}

// Acknowledge takes the removed clusters off the status that somebody has acknowledged by annotation.
func (r *Reporter) Acknowledge(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	text := fed.Annotations[v1alpha1.AcknowledgeRemovedAnnotation]
	if text == "" || len(fed.Status.RemovedClusters) == 0 && fed.Status.RemovedClustersOmitted == 0 {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		r.emit(changes.Event{About: fed, Type: changes.Warning, Reason: invalidAnnotation, Message: fmt.Sprintf(
			"annotation %s must be a time like %s, not %q", v1alpha1.AcknowledgeRemovedAnnotation, time.Now().UTC().Format(time.RFC3339), text)})
		return nil
	}
	_, err = r.amendRemoved(ctx, f, func(l status.RemovedClusters) status.RemovedClusters { return l.Since(at) })
	return err
}

// amendRemoved changes the removed clusters in the status of a Federation, and nothing else: it needs neither a plan nor
// readable sources.
func (r *Reporter) amendRemoved(ctx context.Context, f *state.Federation, change func(status.RemovedClusters) status.RemovedClusters) (*v1alpha1.Federation, error) {
	defer r.lock(federationLock(f))()
	fed := f.Declared()
	before := status.RemovedClusters{Clusters: fed.Status.RemovedClusters, Omitted: fed.Status.RemovedClustersOmitted}
	next := change(before)
	if equality.Semantic.DeepEqual(before, next) {
		return fed, nil
	}
	fed.Status.RemovedClusters, fed.Status.RemovedClustersOmitted = next.Clusters, next.Omitted
	return fed, r.putFederationStatus(ctx, f, fed)
}

// named names the first objects of an inventory.
func named(inventory []string) string {
	names := slices.Clone(inventory)
	for i, entry := range names {
		if id, err := manifest.ParseEntry(entry); err == nil {
			names[i] = id.String()
		}
	}
	return phrase.First(names, namedObjects)
}
