package reconciler

import (
	"context"
	"fmt"
	"slices"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// A cluster that leaves the fleet keeps what it has. What that is stands in its Deliveries, which go with it; before they do
// it is written into the status of each Federation.

const (
	// clusterLeft is the reason of the event that says what stays on a cluster that is not in the fleet any more.
	clusterLeft = "ClusterRemoved"
	// notForgotten is the reason of the event that says why clusters that left are listed still.
	notForgotten = "InvalidAnnotation"
	// namedLeft is how many objects that event names.
	namedLeft = 10
)

// part writes down what a cluster keeps of a federation, and ends what is under way there. What is known of its Cluster
// is in c, which is nil when that is gone. Done again it changes nothing.
func (e *engine) part(ctx context.Context, f *federation, cluster string, c *v1alpha1.Cluster) error {
	p := status.Removal{Cluster: cluster}
	f.mu.Lock()
	if l := f.legs[cluster]; l != nil {
		l.end() // from here on nothing is added to what it has
		p = partingOf(l.delivery)
		if l.run.Inventory != nil {
			p.Inventory = l.run.Inventory
		}
	}
	f.mu.Unlock()
	if c != nil {
		p.DeletedAt, p.LastProbeTime = c.DeletionTimestamp.Time, c.Status.LastProbeTime
		p.Reachable = meta.IsStatusConditionTrue(c.Status.Conditions, fluxmeta.ReadyCondition)
	}
	return e.leave(ctx, f, p)
}

// partingOf is what a Delivery says of a cluster that leaves.
func partingOf(d *v1alpha1.Delivery) status.Removal {
	return status.Removal{
		Cluster: d.Spec.Cluster, Inventory: d.Status.Inventory, LastProbeTime: d.Status.LastProbeTime,
		Reachable: meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.Reachable),
	}
}

// tellLeft is part for the clusters that the plan that comes into force does not have any more, before their Deliveries
// are deleted.
func (e *engine) tellLeft(ctx context.Context, f *federation) error {
	f.mu.Lock()
	var partings []status.Removal
	for _, d := range f.left {
		partings = append(partings, partingOf(d))
	}
	f.mu.Unlock()
	for _, p := range partings {
		if err := e.leave(ctx, f, p); err != nil {
			return err
		}
	}
	return nil
}

// leave writes a parting down, and tells people once.
func (e *engine) leave(ctx context.Context, f *federation, p status.Removal) error {
	news := false
	about, err := e.amendLeft(ctx, f, func(l status.RemovedClusters) (next status.RemovedClusters) {
		next, news = l.Add(p, time.Now())
		return next
	})
	if err != nil {
		return fmt.Errorf("writing down what stays on cluster %s: %w", p.Cluster, err)
	}
	if news {
		e.event(about, warning, clusterLeft, fmt.Sprintf("cluster %s left the fleet; what was delivered there stays, with accord's marks: %d objects: %s",
			p.Cluster, len(p.Inventory), listed(readable(p.Inventory), namedLeft)))
	}
	return nil
}

// amendLeft changes what stands in the status of a Federation of clusters that left, and nothing else: it does not depend
// on a plan, nor on whether the sources can be read.
func (e *engine) amendLeft(ctx context.Context, f *federation, change func(status.RemovedClusters) status.RemovedClusters) (*v1alpha1.Federation, error) {
	f.telling.federation.Lock()
	defer f.telling.federation.Unlock()
	f.mu.Lock()
	fed := f.declaration.DeepCopy()
	f.mu.Unlock()
	before := status.RemovedClusters{Clusters: fed.Status.RemovedClusters, Omitted: fed.Status.RemovedClustersOmitted}
	next := change(before)
	if equality.Semantic.DeepEqual(before, next) {
		return fed, nil
	}
	fed.Status.RemovedClusters, fed.Status.RemovedClustersOmitted = next.Clusters, next.Omitted
	if err := e.store.PutStatus(ctx, fed); err != nil && !apierrors.IsNotFound(err) {
		return fed, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declaration.Status = fed.Status
	return fed, nil
}

// returned takes a cluster that is back out of those that left, if its Delivery answers again for what is there; it says
// whether that is still to come.
func (e *engine) returned(ctx context.Context, f *federation, cluster string) (open bool, err error) {
	f.mu.Lock()
	l := f.legs[cluster]
	left := slices.ContainsFunc(f.declaration.Status.RemovedClusters, func(c v1alpha1.RemovedCluster) bool { return c.Cluster == cluster })
	answers := l != nil && (l.run.Finished || len(l.delivery.Status.Inventory) > 0)
	f.mu.Unlock()
	if !left || !answers {
		return left, nil
	}
	_, err = e.amendLeft(ctx, f, func(l status.RemovedClusters) status.RemovedClusters { return l.Without(cluster) })
	return false, err
}

// forgetLeft takes out the clusters that left until a time at which somebody says that they are looked after.
func (e *engine) forgetLeft(ctx context.Context, f *federation, fed *v1alpha1.Federation) error {
	text := fed.Annotations[v1alpha1.AcknowledgeRemovedAnnotation]
	if text == "" || len(fed.Status.RemovedClusters) == 0 && fed.Status.RemovedClustersOmitted == 0 {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		e.event(fed, warning, notForgotten, fmt.Sprintf("the annotation %s is %q, and is to be a time like %s", v1alpha1.AcknowledgeRemovedAnnotation, text, time.Now().UTC().Format(time.RFC3339)))
		return nil
	}
	_, err = e.amendLeft(ctx, f, func(l status.RemovedClusters) status.RemovedClusters { return l.Since(at) })
	return err
}

// concerns says that something of the federation is on a cluster, or is to get there.
func (f *federation) concerns(cluster string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.legs[cluster]
	return l != nil && !l.idle()
}

// readable are entries of an inventory as people write them.
func readable(inventory []string) []string {
	names := make([]string, len(inventory))
	for i, entry := range inventory {
		names[i] = entry
		if id, err := manifest.ParseEntry(entry); err == nil {
			names[i] = id.String()
		}
	}
	return names
}
