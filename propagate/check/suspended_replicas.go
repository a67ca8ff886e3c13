package check

import (
	"fmt"
	"slices"
	"sync"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
)

var suspendedReplicas = Check{
	Code:     "suspended-replicas",
	Severity: propagate.Note,
	Summary:  "replicas assigned to a suspended cluster that has none running yet",
	Why: "Suspension stops delivery and does not change placement. A suspended cluster keeps its share of divided replicas. Existing " +
		"replicas keep running, but if the cluster has none, its share is missing from the total.",
	Fix: "Exclude the cluster from the placement (`exclude`) while nothing should run there.",
	Example: `
placement:
  replicaScheduling: {replicaSchedulingType: Divided}
suspension:
  dispatchingOnClusters: {clusterNames: [eu-2]}   # a third of the replicas`,
	past: true,
	run: func(r *Review) []propagate.Finding {
		ran := sync.OnceValue(r.ran)
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			s, rs := p.Spec.Suspension, p.Spec.Placement.ReplicaScheduling
			if s == nil || s.DispatchingOnClusters == nil || rs == nil || rs.ReplicaSchedulingType != policy.Divided {
				continue
			}
			for j, name := range s.DispatchingOnClusters.ClusterNames {
				stuck := those(r.won()[p.Title()], func(o *object) bool { return !ran()[o.ID][name] && heldWithShare(o, name) })
				if len(stuck) > 0 {
					findings = append(findings, at(p.At(fmt.Sprintf("spec.suspension.dispatchingOnClusters.clusterNames[%d]", j)),
						"exclude the cluster from the placement until workloads should run there",
						"%s: %s placed on suspended cluster %s", p.Title(), share(stuck, name), name))
				}
			}
		}
		return findings
	},
}

// ran returns the clusters to which each object went before.
func (r *Review) ran() map[manifest.ID]map[string]bool {
	all := map[manifest.ID]map[string]bool{}
	for _, p := range r.in.Previous {
		for _, c := range p.Clusters {
			if all[p.ID] == nil {
				all[p.ID] = map[string]bool{}
			}
			all[p.ID][c.Name] = true
		}
	}
	return all
}

// heldWithShare reports whether a cluster is held and has a share of the replicas, while another cluster is not held.
func heldWithShare(o *object, cluster string) bool {
	i := slices.IndexFunc(o.Chosen, func(c decision.Choice) bool { return c.Cluster == cluster })
	return i >= 0 && o.Chosen[i].Held != "" && o.Chosen[i].Replicas != nil && *o.Chosen[i].Replicas > 0 &&
		slices.ContainsFunc(o.Chosen, func(c decision.Choice) bool { return c.Held == "" })
}

// share returns "3 of 10 replicas of Deployment shop/web are", with the number of other objects.
func share(objects []*object, cluster string) string {
	var here, total int32
	for _, c := range objects[0].Chosen {
		if c.Replicas == nil {
			continue
		}
		total += *c.Replicas
		if c.Cluster == cluster {
			here = *c.Replicas
		}
	}
	text := fmt.Sprintf("%d of %s of %s", here, phrase.Count(int(total), "replica"), short(objects[0].ID))
	if more := len(objects) - 1; more > 0 {
		text += fmt.Sprintf(", and a share of %s,", phrase.Count(more, "more object"))
	}
	if here == 1 && len(objects) == 1 {
		return text + " is"
	}
	return text + " are"
}
