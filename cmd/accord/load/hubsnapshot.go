package load

import (
	"context"
	"errors"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/previous"
)

// HubSnapshot is the objects of a hub at one moment, or those of a file that "accord get" wrote.
type HubSnapshot struct {
	Clusters   []v1alpha1.Cluster
	objects    []v1alpha1.FederatedObject
	Deliveries []v1alpha1.Delivery
	Releases   []v1alpha1.Release
	Tenants    []v1alpha1.Tenant
}

// Snapshot reads the objects of the federation from the hub.
func (l *LiveHub) Snapshot(ctx context.Context) (*HubSnapshot, error) {
	switch {
	case l.empty:
		return ClustersOf(ctx, l.Hub)
	case l.Err != nil:
		return nil, l.Err
	}
	clusters, objects := &v1alpha1.ClusterList{}, &v1alpha1.FederatedObjectList{}
	deliveries, releases := &v1alpha1.DeliveryList{}, &v1alpha1.ReleaseList{}
	mine := hub.ListOptions(l.Federation)
	err := errors.Join(l.List(ctx, clusters), l.List(ctx, objects, mine...), l.List(ctx, deliveries, mine...), l.List(ctx, releases, mine...))
	if err != nil {
		return nil, l.Wrap("reading what is live", err)
	}
	tenants, err := listTenants(ctx, l.Hub)
	return &HubSnapshot{clusters.Items, objects.Items, deliveries.Items, releases.Items, tenants}, err
}

// ClustersOf reads the Clusters and the Tenants of a hub, which need no Federation.
func ClustersOf(ctx context.Context, h *hub.Hub) (*HubSnapshot, error) {
	clusters := &v1alpha1.ClusterList{}
	if err := h.List(ctx, clusters); err != nil {
		return nil, h.Wrap("listing the clusters", err)
	}
	tenants, err := listTenants(ctx, h)
	return &HubSnapshot{Clusters: clusters.Items, Tenants: tenants}, err
}

// Previous returns the previous decisions.
func (k *HubSnapshot) Previous() []*previous.Decision {
	if k == nil {
		return nil
	}
	var all []*previous.Decision
	for i := range k.objects {
		all = append(all, previous.From(k.objects[i].Spec))
	}
	return all
}

// Evictions returns the evictions of each object.
func (k *HubSnapshot) Evictions() map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	if k == nil {
		return nil
	}
	return eviction.Recorded(k.objects)
}

// Fleet returns the clusters as the controllers will see them once they have applied the Cluster manifests of now, which was
// base before. by is the federation, "shop.prod".
func (k *HubSnapshot) Fleet(base, now *Tree, by string) []fleet.Cluster {
	if k == nil {
		return now.Parts.Fleet()
	}
	was := decode.Parts{}
	if base != nil {
		was = base.Parts
	}
	return declared.Fleet(hub.NotBeingDeleted(k.Clusters), was, now.Parts, by)
}
