package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/place"
)

// suggestion returns a change that would make the cluster fit. It is empty if no change in Git would, or if the change is
// obvious.
func suggestion(p *load.PlannedTree, d *decision.Decision, r decision.Refusal) string {
	if d.Policy == nil {
		return ""
	}
	i := slices.IndexFunc(p.Fleet(), func(c fleet.Cluster) bool { return c.Name == r.Cluster })
	return advice(d, p.Fleet()[i], r.Reason)
}

// advice returns the change for a reason.
func advice(d *decision.Decision, c fleet.Cluster, reason place.Reason) string {
	wanted := d.Policy.Spec.Placement
	switch reason {
	case place.NotSelected:
		return affinityAdvice(wanted, d.Term, c)
	case place.Evicted:
		return "nothing: failover decides when the cluster may have the object again"
	case place.Leaving:
		return "nothing: its Cluster is being deleted"
	case place.NotServed:
		return "make the cluster serve that kind, or write the manifest in a version that it serves"
	case place.Tainted:
		if len(wanted.ClusterTolerations) == 0 {
			return "add a toleration to spec.placement.clusterTolerations"
		}
		return "add a toleration of that taint"
	case place.NoGroup:
		return fmt.Sprintf("set spec.%s of its Cluster, or remove the spread constraint", missingProperty(wanted, c))
	case place.Grouped:
		return "send the other objects of the group where it should go, or leave the group"
	case place.NoWeight:
		return "add an entry with a targetCluster that selects the cluster"
	case place.NoShare:
		return "raise the replicas in the manifest, or the weight of the cluster"
	case place.Stays:
		return "nothing while all replicas are placed; a WorkloadRebalancer requests a new decision"
	case place.NotNeeded, place.ZeroReplicas:
		return "raise the replicas in the manifest"
	}
	return constraintAdvice(c, reason)
}

// constraintAdvice returns the change for a reason that is about several clusters, or about room.
func constraintAdvice(c fleet.Cluster, reason place.Reason) string {
	switch reason {
	case place.AboveMax:
		return "raise maxGroups"
	case place.Outranked:
		return "raise minGroups of the spread constraint by region: maxGroups allows more regions, and fewer are enough"
	case place.BelowMin:
		return "lower minGroups, or let more clusters fit"
	case place.Unusable:
		return "add a spread constraint by cluster, or remove this one"
	case place.NoRoom, place.AllFull, place.MaxFull:
		if c.Resources == nil {
			return "write status.resourceSummary of its Cluster, or name a hub with --kubeconfig, which measures the resources"
		}
	}
	switch reason {
	case place.NoRoom:
		return "lower the requests in the manifest, or free resources on the cluster"
	case place.AllFull:
		return "lower the replicas or the requests in the manifest, or free resources on the clusters"
	case place.MaxFull:
		return "raise maxGroups, or lower the replicas or the requests in the manifest"
	}
	return ""
}

// affinityAdvice returns the change to an affinity that does not select the cluster. term is the one in use.
func affinityAdvice(wanted policy.Placement, term string, c fleet.Cluster) string {
	affinity := wanted.ClusterAffinity
	if terms := wanted.ClusterAffinities; len(terms) > 0 {
		used := max(0, slices.IndexFunc(terms, func(t policy.ClusterAffinityTerm) bool { return t.AffinityName == term }))
		for i, t := range terms {
			if ok, _, _ := c.Matches(t.ClusterAffinity); ok && i != used {
				return fmt.Sprintf("nothing while affinity %q works: the cluster is in affinity %q, and accord uses one of clusterAffinities at a time",
					terms[used].AffinityName, t.AffinityName)
			}
		}
		affinity = &terms[used].ClusterAffinity
	}
	if affinity == nil {
		return ""
	}
	_, _, field := c.Matches(*affinity)
	switch part, _, _ := strings.Cut(field, "."); part {
	case "exclude":
		return "take the cluster out of exclude"
	case "labelSelector":
		return "label its Cluster so that the selector matches, or change the selector"
	case "fieldSelector":
		return "set provider, region or zones of its Cluster so that the selector matches, or change the selector"
	case "clusterNames":
		return "add the cluster to clusterNames"
	}
	return ""
}

// missingProperty returns the field of a Cluster that a spread constraint needs and the cluster lacks.
func missingProperty(wanted policy.Placement, c fleet.Cluster) string {
	for _, s := range wanted.SpreadConstraints {
		switch {
		case s.SpreadByField == "provider" && c.Provider == "", s.SpreadByField == "region" && c.Region == "":
			return s.SpreadByField
		case s.SpreadByField == "zone" && len(c.Zones) == 0:
			return "zones"
		}
	}
	return ""
}
