// Package declared combines the Clusters of a hub with the Cluster manifests in Git.
package declared

import (
	"cmp"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/decode"
)

// Fleet returns the clusters as the controllers see them after the manifests in Git changed from was to now. present are the
// Clusters of the hub. Git owns the fields that it sets, and resets those that it set in was. by is the federation,
// "shop.prod".
func Fleet(present []v1alpha1.Cluster, was, now decode.Parts, by string) []fleet.Cluster {
	var all []fleet.Cluster
	for _, c := range present {
		before, wasDeclared := declaration(was, c.Name)
		after, isDeclared := declaration(now, c.Name)
		fromGit := wasDeclared || c.Labels[v1alpha1.SourceLabel] == by
		if isDeclared || !fromGit || joinedByHand(c, before) {
			all = append(all, fleet.From(withDeclaration(c, before, after), now.Origins[c.Name]))
		}
	}
	for _, c := range now.Clusters {
		if !slices.ContainsFunc(present, func(on v1alpha1.Cluster) bool { return on.Name == c.Name }) {
			all = append(all, fleet.From(c, now.Origins[c.Name]))
		}
	}
	return all
}

// declaration returns the Cluster manifest of a name.
func declaration(p decode.Parts, name string) (v1alpha1.Cluster, bool) {
	i := slices.IndexFunc(p.Clusters, func(c v1alpha1.Cluster) bool { return c.Name == name })
	if i < 0 {
		return v1alpha1.Cluster{}, false
	}
	return p.Clusters[i], true
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
