package explain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
)

const failoverCase = `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  failover: {cluster: {purgeMode: Gracefully}}
-- clusters.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-1}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-2}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-3}}
-- input --
failover: FAILOVER
evictions:
- id: {group: apps, kind: Deployment, namespace: shop, name: web}
  tasks:
  - {fromCluster: eu-1, purgeMode: Gracefully, reason: TaintUntolerated, producer: TaintManager, message: "cluster eu-1 has a taint", creationTimestamp: "2026-01-01T00:00:00Z"}
  - {fromCluster: eu-2, purgeMode: Directly, reason: ApplicationFailure, producer: ApplicationFailover, creationTimestamp: "2026-01-01T00:00:00Z", completionTimestamp: "2026-01-01T00:01:00Z"}
`

// TestEvictionsAreExplained with the event that each waits for, as the hub has it.
func TestEvictionsAreExplained(t *testing.T) {
	p := planOf(t, strings.Replace(failoverCase, "FAILOVER", "true", 1))
	object := v1alpha1.FederatedObject{Spec: v1alpha1.FederatedObjectSpec{
		Template: v1alpha1.TemplateRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
	}}
	object.Status.Evictions = []v1alpha1.EvictionState{
		{Cluster: "eu-1", Phase: v1alpha1.EvictionOpen, Message: "waits until the object is healthy on eu-3", Deadline: new(metav1.Unix(1767226200, 0))},
		{Cluster: "eu-2", Phase: v1alpha1.EvictionBlocked, Message: "the cooldown lasts 1h"},
	}
	live := &load.LiveHub{Objects: []v1alpha1.FederatedObject{object}}
	var b strings.Builder
	for _, e := range evictions(p.Decision(webID), live, "") {
		e.write(&b)
	}
	require.Equal(t, `  eviction  from eu-1, Gracefully since 2026-01-01T00:00:00Z: TaintUntolerated by TaintManager: cluster eu-1 has a taint
            waits until the object is healthy on eu-3, until 2026-01-01T00:10:00Z
  eviction  from eu-2 is blocked
            the cooldown lasts 1h
  eviction  from eu-2, completed 2026-01-01T00:01:00Z: ApplicationFailure by ApplicationFailover since 2026-01-01T00:00:00Z
`, b.String())

	r := Object(p, nil, webID, "eu-1")
	require.Len(t, r.Evictions, 1)
	require.Empty(t, r.Evictions[0].WaitsFor, "only the hub has it")
	require.Equal(t, "is evicted: TaintUntolerated since 2026-01-01T00:00:00Z", r.Clusters[0].Why)
	require.Equal(t, "FederatedObject spec.gracefulEvictionTasks[0]", r.Clusters[0].At)
	require.Equal(t, "nothing: failover decides when the cluster may have the object again", r.Clusters[0].Fit)
}

// TestFailoverOfAPolicyNeedsThatOfTheFederation.
func TestFailoverOfAPolicyNeedsThatOfTheFederation(t *testing.T) {
	const note = "spec.failover of the policy (policy.yaml:6) has no effect: the Federation does not enable failover (spec.failover.enabled)"
	enabled := planOf(t, strings.Replace(failoverCase, "FAILOVER", "true", 1))
	require.NotContains(t, Object(enabled, nil, webID, "").Notes, note)
	disabled := planOf(t, strings.Replace(failoverCase, "FAILOVER", "false", 1))
	require.Contains(t, Object(disabled, nil, webID, "").Notes, note)
}

// TestDefaultTolerationsAreExplained: a person sees when an automatic taint evicts an object whose policy does not mention the taint.
func TestDefaultTolerationsAreExplained(t *testing.T) {
	p := planOf(t, strings.Replace(failoverCase, "FAILOVER", "true", 1))
	p.Failover = &v1alpha1.Failover{Enabled: true, DefaultNotReadyTolerationSeconds: new(int64(600))}
	const (
		set   = "no clusterToleration mentions cluster.karmada.io/not-ready:NoExecute: the taint evicts after 10m (spec.failover.defaultNotReadyTolerationSeconds of the Federation)"
		unset = "no clusterToleration mentions cluster.karmada.io/unreachable:NoExecute: the taint evicts after --default-unreachable-toleration-seconds of the controllers (default at once)"
	)
	require.Subset(t, Object(p, nil, webID, "").Notes, []string{set, unset})
	own := planOf(t, strings.NewReplacer("FAILOVER", "true", "  failover:", "  placement: {clusterTolerations: [{key: cluster.karmada.io/not-ready, operator: Exists}]}\n  failover:").Replace(failoverCase))
	own.Failover = p.Failover
	require.NotContains(t, Object(own, nil, webID, "").Notes, set)
	require.Contains(t, Object(own, nil, webID, "").Notes, unset)
	p.Failover.Enabled = false
	require.NotContains(t, Object(p, nil, webID, "").Notes, set)
}
