package replica

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// HandOver connects the clusters that this replica owns now, and has their assignments executed, whenever changed has a
// value, until ctx ends. probe requests the probe of a cluster, execute that of a Federation's assignments.
func (l *Follower) HandOver(ctx context.Context, changed <-chan struct{}, probe func(cluster string), execute func(types.NamespacedName)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		l.Registry.HandOver(time.Now())
		if err := l.takeOver(ctx, probe, execute); err != nil && ctx.Err() == nil {
			l.Log.Error("cannot take over clusters", "error", err)
		}
	}
}

// takeOver reconciles every cluster and every Federation, because their owners may have changed.
func (l *Follower) takeOver(ctx context.Context, probe func(cluster string), execute func(types.NamespacedName)) error {
	var members v1alpha1.ClusterList
	var federations v1alpha1.FederationList
	for _, list := range []client.ObjectList{&members, &federations} {
		if err := l.List(ctx, list); err != nil {
			return err
		}
	}
	for _, c := range members.Items {
		probe(c.Name)
	}
	for i := range federations.Items {
		execute(client.ObjectKeyFromObject(&federations.Items[i]))
	}
	for _, f := range l.Registry.Federations() {
		var reports v1alpha1.DeliveryReportList
		err := l.Records.List(ctx, &reports, f.Key().Namespace, f.Key().Name)
		for i := range reports.Items {
			l.Pool.Ingest(&reports.Items[i])
		}
		if err != nil {
			return err
		}
		for _, c := range members.Items {
			l.Pool.Enqueue(f.UpdateEverythingOn(c.Name))
		}
	}
	return nil
}
