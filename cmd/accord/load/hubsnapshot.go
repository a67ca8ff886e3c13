package load

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate"
)

// HubSnapshot is the objects of a hub at one moment, or those of a file that "accord get" wrote.
type HubSnapshot struct {
	Clusters   []v1alpha1.Cluster
	objects    []v1alpha1.FederatedObject
	Deliveries []v1alpha1.Delivery
	Releases   []v1alpha1.Release
}

// Snapshot reads the objects of the federation from the hub.
func (l *LiveHub) Snapshot(ctx context.Context) (*HubSnapshot, error) {
	if l.Err != nil {
		return nil, l.Err
	}
	clusters, objects := &v1alpha1.ClusterList{}, &v1alpha1.FederatedObjectList{}
	deliveries, releases := &v1alpha1.DeliveryList{}, &v1alpha1.ReleaseList{}
	mine := hub.ListOptions(l.Federation)
	err := errors.Join(l.List(ctx, clusters), l.List(ctx, objects, mine...), l.List(ctx, deliveries, mine...), l.List(ctx, releases, mine...))
	if err != nil {
		return nil, l.Wrap("reading what is live", err)
	}
	return &HubSnapshot{clusters.Items, objects.Items, deliveries.Items, releases.Items}, nil
}

// Previous returns the previous decisions.
func (k *HubSnapshot) Previous() []propagate.Previous {
	if k == nil {
		return nil
	}
	var all []propagate.Previous
	for i := range k.objects {
		all = append(all, propagate.PreviousFrom(k.objects[i].Spec))
	}
	return all
}

// Fleet returns the clusters as the controllers will see them once they have applied the Cluster manifests of a side. Git owns
// the fields that it sets, and resets those that it set in base. by is the federation, "shop.prod".
func (k *HubSnapshot) Fleet(base, now *Tree, by string) []fleet.Cluster {
	if k == nil {
		return now.Parts.Fleet()
	}
	var all []fleet.Cluster
	present := hub.NotBeingDeleted(k.Clusters)
	for _, c := range present {
		was, before := declaration(base, c.Name)
		is, declared := declaration(now, c.Name)
		fromGit := before || c.Labels[v1alpha1.SourceLabel] == by
		if declared || !fromGit || joinedByHand(c, was) {
			all = append(all, fleet.From(withDeclaration(c, was, is), now.Parts.Origins[c.Name]))
		}
	}
	for _, c := range now.Parts.Clusters {
		if !slices.ContainsFunc(present, func(on v1alpha1.Cluster) bool { return on.Name == c.Name }) {
			all = append(all, fleet.From(c, now.Parts.Origins[c.Name]))
		}
	}
	return all
}

// declaration returns the Cluster manifest of a side.
func declaration(t *Tree, name string) (v1alpha1.Cluster, bool) {
	if t == nil {
		return v1alpha1.Cluster{}, false
	}
	i := slices.IndexFunc(t.Parts.Clusters, func(c v1alpha1.Cluster) bool { return c.Name == name })
	if i < 0 {
		return v1alpha1.Cluster{}, false
	}
	return t.Parts.Clusters[i], true
}

// joinedByHand reports whether the cluster was joined by other means than Git: it stays when its manifest is removed.
func joinedByHand(c, declared v1alpha1.Cluster) bool {
	return c.Spec.APIEndpoint != "" && declared.Spec.APIEndpoint == "" || c.Spec.SecretRef != nil && declared.Spec.SecretRef == nil
}

// withDeclaration returns the Cluster of the hub after its manifest changed from was to now.
func withDeclaration(c, was, now v1alpha1.Cluster) v1alpha1.Cluster {
	c.Labels = maps.Clone(c.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	maps.DeleteFunc(c.Labels, func(key, _ string) bool { _, git := was.Labels[key]; return git })
	maps.Copy(c.Labels, now.Labels)
	s, a, b := &c.Spec, was.Spec, now.Spec
	s.Provider, s.Region = overlay(s.Provider, a.Provider, b.Provider), overlay(s.Region, a.Region, b.Region)
	s.Zone, s.Zones = overlay(s.Zone, a.Zone, b.Zone), overlayList(s.Zones, a.Zones, b.Zones)
	if was.Spec.Hold != nil || now.Spec.Hold != nil {
		s.Hold = now.Spec.Hold
	}
	s.Taints, s.ResourceModels = overlayList(s.Taints, a.Taints, b.Taints), overlayList(s.ResourceModels, a.ResourceModels, b.ResourceModels)
	return c
}

// overlay returns a field of the hub after Git changed it from was to now.
func overlay(hub, was, now string) string {
	if was != "" {
		hub = ""
	}
	return cmp.Or(now, hub)
}

// overlayList is overlay for a list.
func overlayList[T any](hub, was, now []T) []T {
	switch {
	case len(now) > 0:
		return now
	case len(was) > 0:
		return nil
	}
	return hub
}
