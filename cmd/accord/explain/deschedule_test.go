package explain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDescheduledReplicasAreExplained: the last move is a note until the replicas are divided in another way.
func TestDescheduledReplicasAreExplained(t *testing.T) {
	const divided = `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}
-- clusters.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-1}, status: {resourceSummary: {allocatable: {pods: 40}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-2}, status: {resourceSummary: {allocatable: {pods: 40}}}}
`
	moves := planOf(t, divided+`-- input --
unschedulable: [{id: {group: apps, kind: Deployment, namespace: shop, name: web}, cluster: eu-1, replicas: 2, of: 9}]
-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, clusters: [{name: eu-1, replicas: 9}]}
`)
	require.Contains(t, Object(moves, nil, webID, "").Notes, "the descheduler moved replicas: eu-1 could not schedule 2 of 9 replicas, eu-2 has 2 more")
	require.Equal(t, "kept 7, 2 that it cannot schedule moved", moves.Shares(webID)["eu-1"])

	stays := planOf(t, divided+`-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, descheduled: {moves: earlier, from: [{cluster: eu-1, running: 7, room: 40}]}, clusters: [{name: eu-1, replicas: 7}, {name: eu-2, replicas: 2}]}
`)
	require.Contains(t, Object(stays, nil, webID, "").Notes, "the descheduler moved replicas: earlier")
	require.Contains(t, Object(stays, nil, webID, "").Notes, "cluster eu-1 could not schedule more than 7 replicas, and gets no more until more of its resources are free")
}
