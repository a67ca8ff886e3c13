package propagate_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
)

// movedInput is an eviction of web from eu-1 to us-2.
var movedInput = strings.NewReplacer(
	`now: "2026-03-02T12:00:00Z"`, `now: "2026-03-02T12:00:00Z"
evictions:
- id: {group: apps, kind: Deployment, namespace: shop, name: web}
  tasks: [{fromCluster: eu-1, purgeMode: Gracefully, reason: TaintUntolerated, creationTimestamp: "2026-03-02T12:00:00Z", clustersBeforeFailover: [eu-1]}]`,
	"placement: {clusterAffinity: {clusterNames: [eu-1, us-2]}}",
	"placement: {clusterAffinity: {clusterNames: [eu-1, us-2]}, spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]}",
).Replace(stagedInput) + `
-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, dependencies: true, clusters: [{name: eu-1, replicas: 1}]}
`

// TestFailoverDuringARollout holds the table of docs/failover.md.
func TestFailoverDuringARollout(t *testing.T) {
	v1 := planOf(t, movedInput)
	v2 := planOf(t, movedInput, "settings-1", "settings-2", "web:1", "web:2")
	plans := map[string]*propagate.Plan{"main@1": v1, "main@2": v2, "": nil}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	healthy := stage.ClusterState{Current: stage.Version{Revision: "main@2"}, UpdatedAt: now, HealthySince: now, LastHealthy: &stage.Version{Revision: "main@1"}}
	failing := healthy
	failing.HealthySince = time.Time{}
	lost := failing
	lost.WasHealthy = true
	old := stage.ClusterState{Current: stage.Version{Revision: "main@1"}}
	for _, c := range []struct {
		source   string
		state    stage.ClusterState
		target   string
		decision stage.Decision
		gets     string // of the table
		image    string
	}{
		{"v2, healthy", healthy, "has its turn", stage.Decision{}, "v2", "web:2"},
		{"v2, healthy", healthy, "waits for its turn", stage.Decision{Held: "waits"}, "v2", "web:2"},
		{"v2, healthy until eu-1 did not answer", lost, "waits for its turn", stage.Decision{Held: "waits"}, "v2", "web:2"},
		{"v2, which was never healthy there", failing, "waits for its turn", stage.Decision{Held: "waits"}, "v1", "web:1"},
		{"v1", old, "has its turn", stage.Decision{}, "v2", "web:2"},
		{"v1", old, "waits for its turn", stage.Decision{Held: "waits"}, "v1", "web:1"},
		{"v2, healthy", healthy, "is rolled back to v1", stage.Decision{Held: "rolled back", RollbackTo: &stage.Version{Revision: "main@1"}}, "v1", "web:1"},
		{"a version whose commit is unknown", stage.ClusterState{}, "waits for its turn", stage.Decision{Held: "waits"}, "nothing before its turn", ""},
	} {
		row := "| " + c.source + " | " + c.target + " | " + c.gets + " |"
		t.Run(row, func(t *testing.T) {
			golden.Quote(t, "../docs/failover.md", row)
			c.decision.Cluster = "us-2"
			state := stage.State{Clusters: map[string]stage.ClusterState{"eu-1": c.state}}
			turn := staged.Assignment{Held: c.decision.Held, Moved: plans[staged.MovedRevision(v2, "shop/web", c.decision, state, "main@2")]}
			if c.decision.RollbackTo != nil {
				turn.RollbackTo = v1
			}
			target := staging(v2, "us-2", map[string]staged.Assignment{"shop/web": turn}, nil).ClusterPlan()
			requireDelivered(t, target, c.image)
		})
	}
}

// requireDelivered requires that a cluster gets an image of web, with the ConfigMap of that version and its Namespace; or nothing.
func requireDelivered(t *testing.T, target propagate.ClusterPlan, image string) {
	t.Helper()
	delivered := map[string]bool{}
	for _, o := range target.Objects {
		if o.Held != "" {
			continue
		}
		delivered[o.ID.String()] = true
		if o.ID == webDeployment {
			require.True(t, bytes.Contains(o.Body.Bytes(), []byte(`"`+image+`"`)), string(o.Body.Bytes()))
		}
	}
	if image == "" {
		require.NotContains(t, delivered, webDeployment.String())
		return
	}
	require.Contains(t, delivered, webDeployment.String())
	require.Contains(t, delivered, manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: strings.Replace(image, "web:", "settings-", 1)}.String())
	require.Contains(t, delivered, shop.String())
}

// TestTheOldCopyWaitsForNoStage: a cluster that waits for its turn keeps its version, but not a copy that an eviction deletes.
func TestTheOldCopyWaitsForNoStage(t *testing.T) {
	before := planOf(t, strings.Replace(movedInput, "fromCluster: eu-1", "fromCluster: us-1", 1))
	require.True(t, before.PlacedOn("eu-1", webDeployment))
	keeps := map[string]staged.Assignment{"shop/web": {Held: "waits", RollbackTo: before, Keeps: true}}

	open := staging(planOf(t, movedInput), "eu-1", keeps, nil, webDeployment, settings)
	require.NotContains(t, suspension(open.ClusterPlan()), webDeployment, "the copy is not rewritten")
	require.Contains(t, open.KeepReason(webDeployment, nil), "it is evicted from eu-1")
	require.Empty(t, open.RolloutOf(webDeployment, nil))

	completed := planOf(t, movedInput, `clustersBeforeFailover: [eu-1]`, `clustersBeforeFailover: [eu-1], completionTimestamp: "2026-03-02T12:05:00Z"`,
		"clusters: [{name: eu-1, replicas: 1}]", "clusters: [{name: us-2, replicas: 1}]")
	s := staging(completed, "eu-1", keeps, nil, webDeployment, settings)
	for _, id := range []manifest.ID{webDeployment, settings} {
		require.NotContains(t, suspension(s.ClusterPlan()), id)
		require.Empty(t, s.KeepReason(id, nil))
	}
}

// TestADependencyOfAnEvictionKeepsItsVersion where the cluster has it already.
func TestADependencyOfAnEvictionKeepsItsVersion(t *testing.T) {
	has := planOf(t, strings.NewReplacer("fromCluster: eu-1", "fromCluster: us-1", "name: eu-1, replicas", "name: us-2, replicas").Replace(movedInput))
	moved := planOf(t, movedInput, "web:1", "web:2", "mode: fast", "mode: slow")
	turn := staged.Assignment{Held: "waits", RollbackTo: has, Keeps: true, Moved: moved}
	for _, o := range staging(moved, "us-2", map[string]staged.Assignment{"shop/web": turn}, nil).ClusterPlan().Objects {
		switch o.ID {
		case settings:
			require.Contains(t, string(o.Body.Bytes()), "fast")
		case webDeployment:
			require.Contains(t, string(o.Body.Bytes()), "web:2")
		}
		require.Empty(t, o.Held, o.ID)
	}
}

// TestAVersionFollowsTheChainOfEvictions: a cluster that waits for its turn got an object by an eviction, and loses it by another one.
func TestAVersionFollowsTheChainOfEvictions(t *testing.T) {
	golden.Quote(t, "../docs/failover.md", "| v1, and the object in v2 by an earlier eviction | waits for its turn | v2 |")
	evictedTo := func(cluster, tasks string) *propagate.Plan {
		first := `tasks: [{fromCluster: eu-1, purgeMode: Gracefully, reason: TaintUntolerated, creationTimestamp: "2026-03-02T12:00:00Z", clustersBeforeFailover: [eu-1]}`
		return planOf(t, strings.NewReplacer(first, first+tasks, "clusters: [{name: eu-1, replicas: 1}]", "clusters: [{name: "+cluster+", replicas: 1}]").Replace(movedInput))
	}
	const second = `, {fromCluster: eu-2, purgeMode: Gracefully, reason: TaintUntolerated, creationTimestamp: "2026-03-02T13:00:00Z", clustersBeforeFailover: `
	sameSecond := strings.Replace(second, "13:00:00Z", "12:00:00Z", 1)
	chain, beside := evictedTo("eu-2", second+"[eu-2]}"), evictedTo("us-2", second+"[eu-2, us-2]}")
	quick := evictedTo("eu-2", sameSecond+"[eu-2]}")
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	updated := stage.ClusterState{Current: stage.Version{Revision: "main@2"}, UpdatedAt: now, HealthySince: now}
	old, unknown := stage.ClusterState{Current: stage.Version{Revision: "main@1"}}, stage.ClusterState{}
	for name, c := range map[string]struct {
		plan          *propagate.Plan
		first, second stage.ClusterState
		want          string
	}{
		"the second source waits, and had nothing before":     {chain, updated, unknown, "main@2"},
		"the second source waits":                             {chain, updated, old, "main@2"},
		"both sources wait":                                   {chain, old, old, "main@1"},
		"the second source had its turn":                      {chain, old, updated, "main@2"},
		"the version of the first is unknown":                 {chain, unknown, old, ""},
		"another replacement of the first leaves its cluster": {beside, updated, old, "main@2"},
		"within a second, and the second source waits":        {quick, updated, unknown, "main@2"},
		"within a second, and both sources wait":              {quick, old, old, "main@1"},
		"within a second, and the second had its turn":        {quick, old, updated, "main@2"},
	} {
		require.True(t, c.plan.PlacedOn("us-2", webDeployment))
		state := stage.State{Clusters: map[string]stage.ClusterState{"eu-1": c.first, "eu-2": c.second, "us-2": old}}
		require.Equal(t, c.want, staged.MovedRevision(c.plan, "shop/web", stage.Decision{Cluster: "us-2", Held: "waits"}, state, "main@2"), name)
	}
}
