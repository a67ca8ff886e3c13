package explain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRebalancersAreExplained: a note says which WorkloadRebalancer, where it is, and what it changes; after that, that it is done.
func TestRebalancersAreExplained(t *testing.T) {
	const manifests = `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}
-- clusters.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-1}, status: {resourceSummary: {allocatable: {pods: 5}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-2}, status: {resourceSummary: {allocatable: {pods: 40}}}}
`
	const rebalancer = `-- spring.yaml --
{apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: {name: spring}, spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]}}
`
	previous := func(fields string) string {
		return "-- previous --\n- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, " + fields + "}\n"
	}
	const onBoth = "clusters: [{name: eu-1, replicas: 4}, {name: eu-2, replicas: 5}]"
	for _, c := range []struct {
		state, text string
		want        []string
	}{
		{"no rebalancer", previous(onBoth), nil},
		{"it moves replicas", rebalancer + previous(onBoth),
			[]string{"WorkloadRebalancer spring (spring.yaml:1) takes effect in this plan: the object is placed as if it were new: on eu-2 (9), before on eu-1 (4) and eu-2 (5)"}},
		{"it moves nothing", rebalancer + previous("clusters: [{name: eu-2, replicas: 9}]"),
			[]string{"WorkloadRebalancer spring (spring.yaml:1) takes effect in this plan: the object is placed as if it were new, and stays as it was"}},
		{"the object is new", rebalancer, []string{"WorkloadRebalancer spring (spring.yaml:1) takes effect in this plan: the object is placed as if it were new"}},
		{"it took effect", rebalancer + previous("rebalanced: spring, "+onBoth),
			[]string{"WorkloadRebalancer spring (spring.yaml:1) took effect in an earlier plan, and does so once"}},
	} {
		t.Run(c.state, func(t *testing.T) {
			var notes []string
			for _, note := range Object(planOf(t, manifests+c.text), nil, webID, "").Notes {
				if len(note) > 18 && note[:18] == "WorkloadRebalancer" {
					notes = append(notes, note)
				}
			}
			require.Equal(t, c.want, notes)
		})
	}
}
