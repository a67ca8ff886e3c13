package lease_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/reconciler/replica/lease"
)

func replicaNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("accord-%d", i)
	}
	return names
}

func TestOwnerSharesEvenly(t *testing.T) {
	const clusters = 10_000
	for n := 3; n <= 7; n++ {
		counts := map[string]int{}
		for _, cluster := range clusterNames(clusters) {
			counts[lease.Owner(cluster, replicaNames(n))]++
		}
		require.Len(t, counts, n)
		for replica, count := range counts {
			require.InEpsilon(t, clusters/n, count, 0.05, "%s of %d", replica, n)
		}
	}
}

func TestOwnerMovesOnlyWhatItMust(t *testing.T) {
	before, after := replicaNames(4), replicaNames(5)
	joined := after[4]
	moved := 0
	for _, cluster := range clusterNames(10_000) {
		was, is := lease.Owner(cluster, before), lease.Owner(cluster, after)
		if was != is {
			require.Equal(t, joined, is, "read backwards: only what the one that goes had moves")
			moved++
		}
	}
	require.InEpsilon(t, 2_000, moved, 0.05)
}

func TestOwnerDoesNotDependOnTheOrder(t *testing.T) {
	replicas := replicaNames(5)
	turned := slices.Clone(replicas)
	slices.Reverse(turned)
	for _, cluster := range clusterNames(1_000) {
		require.Equal(t, lease.Owner(cluster, replicas), lease.Owner(cluster, turned))
	}
	require.Empty(t, lease.Owner("cluster-0", nil))
}

// TestOwnerStaysForever holds the hash: replicas of two versions of accord share clusters during an update. These values
// must never change.
func TestOwnerStaysForever(t *testing.T) {
	golden := map[string]string{
		"cluster-0":    "accord-2",
		"cluster-1":    "accord-0",
		"cluster-2":    "accord-2",
		"cluster-3":    "accord-3",
		"eu-central-1": "accord-2",
		"us-east-1":    "accord-2",
		"a":            "accord-2",
		"prod-frankfurt-0123456789-0123456789-0123456789": "accord-1",
	}
	for cluster, owner := range golden {
		require.Equal(t, owner, lease.Owner(cluster, replicaNames(5)), cluster)
	}
}

func TestOwnerAllocatesNothing(t *testing.T) {
	replicas := replicaNames(5)
	require.Zero(t, testing.AllocsPerRun(100, func() { lease.Owner("a-cluster-with-a-rather-long-name-in-eu-central-1", replicas) }))
}
