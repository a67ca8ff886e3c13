package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
)

// suggestion returns a change that would make the cluster fit. It is empty if no change in Git would, or if the change is
// obvious.
func suggestion(p *load.PlannedTree, d *propagate.Decision, r propagate.Refusal) string {
	if d.Policy == nil {
		return ""
	}
	i := slices.IndexFunc(p.Fleet(), func(c fleet.Cluster) bool { return c.Name == r.Cluster })
	c := p.Fleet()[i]
	if c.Leaving {
		return "nothing: its Cluster is being deleted"
	}
	field := fieldAt(d.Policy.Meta, r.At)
	if a := d.Policy.Spec.Placement.ClusterAffinity; field == "" && a != nil { // kustomize keeps no lines
		_, _, field = c.Matches(*a)
	}
	for _, hint := range suggestions() {
		if strings.Contains(field, hint.field) {
			return hint.fit
		}
	}
	switch {
	case c.APIs != nil && c.APIs.Enablement(d.GVK) != fleet.Enabled:
		return "make the cluster serve that kind, or write the manifest in a version that it serves"
	case len(c.Taints) > 0 && len(d.Policy.Spec.Placement.ClusterTolerations) == 0:
		return "add a toleration to spec.placement.clusterTolerations"
	}
	return ""
}

// suggestions are the changes by a part of the field that refused the cluster; the first match counts.
func suggestions() []struct{ field, fit string } {
	return []struct{ field, fit string }{
		{"staticWeightList", "add an entry with a targetCluster that selects the cluster"},
		{"workloadAffinity", "send the other objects of the group where it should go, or leave the group"},
		{"clusterTolerations", "add a toleration of that taint"},
		{"labelSelector", "label its Cluster so that the selector matches, or change the selector"},
		{"fieldSelector", "set provider, region or zones of its Cluster so that the selector matches, or change the selector"},
		{"exclude", "take the cluster out of exclude"},
		{"clusterNames", "add the cluster to clusterNames"},
		{"spreadByField", "set that field in spec of its Cluster, or change the spread constraint"},
		{"spreadConstraints", "raise maxGroups"},
		{"replicaScheduling", "raise the replicas in the manifest, or the cluster's weight or room"},
	}
}

// fieldAt returns the field of a policy's placement at a place, and "" if it is not known.
func fieldAt(m policy.Meta, at manifest.Origin) string {
	var found []string
	for field, position := range m.Lines {
		if strings.HasPrefix(field, "spec.placement.") && position == (manifest.Position{Line: at.Line, Column: at.Column}) && at.Path == m.Origin.Path {
			found = append(found, field)
		}
	}
	if len(found) == 0 {
		return ""
	}
	// The first entry of a list or object has the position of its parent; the shortest path is the parent.
	return slices.MinFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}
