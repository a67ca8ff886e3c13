package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// TestTheDeschedulerIsCounted: accord_descheduler_moves_total counts each move once, with an event, and no later plan counts it again.
func TestTheDeschedulerIsCounted(t *testing.T) {
	a := persistTo(t)
	var events []string
	a.reporter.emit = func(e changes.Event) { events = append(events, e.Reason+": "+e.Message) }
	var last *propagate.Plan
	push := func(revision, unschedulable string) float64 {
		in, err := dump.Read(fmt.Appendf(nil, `
-- input --
federation: demo/prod
unschedulable: [%s]
-- all.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 9}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: asia}, status: {resourceSummary: {allocatable: {pods: 20}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}, status: {resourceSummary: {allocatable: {pods: 20}}}}
`, unschedulable))
		require.NoError(t, err)
		if last != nil {
			in.Previous = last.Previous()
		}
		last, err = propagate.New(in)
		require.NoError(t, err)
		release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-" + revision}}
		a.f.Activate(activation.Request{Plan: last, Revision: revision, Release: release}, time.Now())
		u, err := a.reporter.Persist(t.Context(), a.f, record.Carried{})
		require.NoError(t, err)
		a.f.Persisted(u, map[manifest.ID]bool{}, time.Now())
		return movesOf(t, a)
	}
	require.Zero(t, push("1", ""))
	require.EqualValues(t, 1, push("2", "{id: {group: apps, kind: Deployment, namespace: shop, name: web}, cluster: asia, replicas: 2, of: 9}"))
	require.EqualValues(t, 1, push("3", ""), "the move stays described, and is not counted again")
	require.Equal(t, []string{"ReplicasDescheduled: asia could not schedule 2 of 9 replicas, eu has 2 more"}, events)
	require.EqualValues(t, 2, push("4", "{id: {group: apps, kind: Deployment, namespace: shop, name: web}, cluster: asia, replicas: 1, of: 7}"))
}

// movesOf returns the metric of the Federation as Prometheus scrapes it.
func movesOf(t *testing.T, a *persisted) float64 {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(metrics.NewCollector(func() (s metrics.Snapshot) {
		s.Add("demo/prod", a.f.Figures(time.Now()), a.f.Plan(), true, func(string) bool { return false })
		return s
	}, &metrics.HubWrites{})))
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "accord_descheduler_moves_total" {
			return f.Metric[0].GetCounter().GetValue()
		}
	}
	t.Fatal("the metric is missing")
	return 0
}
