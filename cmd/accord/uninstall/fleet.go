package uninstall

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
)

// fleet is the part of the hub that users wrote, and the number of objects that were delivered.
type fleet struct {
	clusters                         []v1alpha1.Cluster
	federations, releases, delivered int
}

// readFleet counts the objects. A hub without the kinds of accord has none.
func (r *removal) readFleet(ctx context.Context) (*fleet, error) {
	clusters, federations := &v1alpha1.ClusterList{}, &v1alpha1.FederationList{}
	releases, deliveries := &v1alpha1.ReleaseList{}, &v1alpha1.DeliveryList{}
	for _, list := range []client.ObjectList{clusters, federations, releases, deliveries} {
		if err := r.hub.List(ctx, list); err != nil && !apimeta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
			return nil, r.hub.Wrap("listing the objects of accord", err)
		}
	}
	f := &fleet{clusters: clusters.Items, federations: len(federations.Items), releases: len(releases.Items)}
	for i := range deliveries.Items {
		f.delivered += int(deliveries.Items[i].Status.Summary.Total)
	}
	return f, nil
}

func (f *fleet) names() []string {
	var names []string
	for i := range f.clusters {
		names = append(names, f.clusters[i].Name)
	}
	return names
}

// records returns "2 Federations, 3 Clusters and 10 Releases".
func (f *fleet) records() string {
	return fmt.Sprintf("%s, %s and %s", phrase.Count(f.federations, "Federation"), phrase.Count(len(f.clusters), "Cluster"), phrase.Count(f.releases, "Release"))
}

// canLeave returns an error if "accord leave" refuses a cluster, before any of them leaves.
func (f *fleet) canLeave() error {
	var refused []string
	for i := range f.clusters {
		switch c := &f.clusters[i]; {
		case c.Spec.SyncMode == v1alpha1.SyncModePull:
			refused = append(refused, fmt.Sprintf("%s is in pull mode (accord unregister %s)", c.Name, c.Name))
		case c.Labels[v1alpha1.SourceLabel] != "":
			refused = append(refused, c.Name+" is declared in Git (remove its manifest there)")
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return fmt.Errorf("--leave-members cannot remove all clusters: %s", strings.Join(refused, "; "))
}

// release removes the finalizers of accord from the Clusters that are left: the controllers, which serve them, are gone.
func (f *fleet) release(ctx context.Context, h *hub.Hub) error {
	list := &v1alpha1.ClusterList{}
	if err := h.List(ctx, list); err != nil && !apimeta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
		return h.Wrap("listing the clusters", err)
	}
	for i := range list.Items {
		c := &list.Items[i]
		before := c.DeepCopy()
		c.Finalizers = withoutOurs(c.Finalizers)
		if len(c.Finalizers) == len(before.Finalizers) {
			continue
		}
		if err := h.Patch(ctx, c, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return h.Wrap("removing the finalizers of cluster "+c.Name, err)
		}
	}
	return nil
}

func withoutOurs(finalizers []string) []string {
	var kept []string
	for _, f := range finalizers {
		if f != v1alpha1.RecordRemovalFinalizer && f != v1alpha1.LeaveFinalizer {
			kept = append(kept, f)
		}
	}
	return kept
}
