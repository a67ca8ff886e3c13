package status

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// TestObjectInvariants: every combination of what up to three clusters can be.
func TestObjectInvariants(t *testing.T) {
	prev := v1alpha1.FederatedObjectStatus{ObservedGeneration: 4, Conditions: []metav1.Condition{
		{Type: ready, Status: metav1.ConditionTrue, Reason: ReconciliationSucceeded, ObservedGeneration: 4, LastTransitionTime: stamp(t0)},
	}}
	combinations(3, func(names []string) {
		cs := cells(names...)
		s := Object(prev, 5, kind.Of(deployment), "", cs, t1)
		where := strings.Join(names, ", ")
		wellFormed(t, 5, s.ObservedGeneration, s.Conditions)

		allCurrent, allObserved := true, true
		for i, n := range names {
			allCurrent = allCurrent && current[n]
			allObserved = allObserved && cs[i].Observed()
		}
		require.Equal(t, allCurrent, meta.IsStatusConditionTrue(s.Conditions, ready), where)
		require.Equal(t, allCurrent, !kubectlWaits(t, 5, s), where)
		require.Equal(t, allCurrent, kstatusSays(t, 5, s) == kstatus.CurrentStatus, where)
		require.True(t, kubectlWaits(t, 6, s), "%s: the spec has moved on", where)
		require.Equal(t, kstatus.InProgressStatus, kstatusSays(t, 6, s), "%s: the spec has moved on", where)
		if allObserved {
			require.Equal(t, int64(5), s.ObservedGeneration, where)
		} else {
			require.Equal(t, int64(4), s.ObservedGeneration, where)
		}
		sum := s.Summary
		require.Equal(t, int(sum.Total), len(names), where)
		require.Equal(t, sum.Total, sum.Healthy+sum.Progressing+sum.Failed+sum.Held+sum.Unreachable, where)
		require.Equal(t, s, Object(s, 5, kind.Of(deployment), "", cs, t1.Add(1e12)), "%s: not idempotent", where)
		slices.Reverse(cs)
		require.Equal(t, s, Object(prev, 5, kind.Of(deployment), "", cs, t1), "%s: depends on the order", where)
	})
}

// A choice that is kept because no new one could be made is delivered like any other, and is never what was asked for.
func TestObjectKept(t *testing.T) {
	combinations(2, func(names []string) {
		s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), "5 replicas do not fit", cells(names...), t0)
		where := strings.Join(names, ", ")
		wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
		require.False(t, meta.IsStatusConditionTrue(s.Conditions, ready), where)
		scheduled := meta.FindStatusCondition(s.Conditions, v1alpha1.Scheduled)
		require.Equal(t, metav1.ConditionFalse, scheduled.Status, where)
		if len(names) > 0 {
			require.Equal(t, Unschedulable, scheduled.Reason, where)
			require.Equal(t, "no new choice could be made, and the last one is kept: 5 replicas do not fit", scheduled.Message)
		}
	})
	s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), "5 replicas do not fit", cells("healthy"), t0)
	require.Equal(t, Unschedulable, reasonOf(s.Conditions, ready))
	require.Equal(t, ProgressingWithRetry, reasonOf(s.Conditions, reconciling), "it is tried again")
}

func TestObject(t *testing.T) {
	for name, tt := range map[string]struct {
		cells                      []string
		ready                      metav1.ConditionStatus
		reason, reconciles, stalls string
		message                    string
		applied, healthy           string
	}{
		"no cluster fits":         {nil, "False", NoClusterFits, ProgressingWithRetry, "", "no cluster fits: all are tainted", "Unknown", "Unknown"},
		"one, current":            {[]string{"healthy"}, "True", ReconciliationSucceeded, "", "", "1 of 1 clusters healthy", "True", "True"},
		"two, current":            {[]string{"healthy", "healthy"}, "True", ReconciliationSucceeded, "", "", "2 of 2 clusters healthy", "True", "True"},
		"one on its way":          {[]string{"healthy", "older"}, "Unknown", Progressing, Progressing, "", "1 of 2 clusters healthy, 1 progressing: c1 (still runs another version)", "Unknown", "Unknown"},
		"one held":                {[]string{"healthy", "held"}, "Unknown", Held, "", "", "1 of 2 clusters healthy, 1 held: c1 (suspended)", "True", "Unknown"},
		"one held, nothing pends": {[]string{"healthy", "held and current"}, "True", ReconciliationSucceeded, "", "", "2 of 2 clusters healthy", "True", "True"},
		"one unreachable":         {[]string{"healthy", "unreachable"}, "False", ClustersUnreachable, ProgressingWithRetry, "", "1 of 2 clusters healthy, 1 unreachable: c1 (no answer)", "Unknown", "Unknown"},
		"unreachable and moving":  {[]string{"missing", "unreachable"}, "Unknown", Progressing, Progressing, "", "0 of 2 clusters healthy, 1 unreachable: c1 (no answer), 1 progressing: c0 (not there yet)", "Unknown", "Unknown"},
		"one refused":             {[]string{"refused", "refused", "held"}, "False", ApplyFailed, ProgressingWithRetry, "", "0 of 3 clusters healthy, 2 failed: c0 (quota) and 1 more, 1 held: c2 (suspended)", "False", "False"},
		"one unhealthy":           {[]string{"healthy", "failed"}, "False", HealthCheckFailed, ProgressingWithRetry, "", "1 of 2 clusters healthy, 1 failed: c1 (1 of 2 available)", "True", "False"},
		"one mutated":             {[]string{"healthy", "mutated"}, "False", Mutated, "", Mutated, "1 of 2 clusters healthy, 1 failed: c1 (the cluster changed applied fields: spec.replicas: 2 became 1)", "False", "False"},
		"one cannot be rendered":  {[]string{"healthy", "unrenderable"}, "False", BuildFailed, "", BuildFailed, "1 of 2 clusters healthy, 1 failed: c1 (no such path)", "False", "False"},
		"controller is not asked": {[]string{"unobserved"}, "Unknown", Progressing, Progressing, "", "0 of 1 clusters healthy, 1 progressing: c0 (its controller has not observed this version yet)", "True", "Unknown"},
		"health is unknown":       {[]string{"unknown"}, "Unknown", Progressing, Progressing, "", "0 of 1 clusters healthy, 1 progressing: c0 (1 of 2 available)", "True", "Unknown"},
		"held and not heard from": {[]string{"healthy", "held unreachable"}, "Unknown", Held, "", "", "1 of 2 clusters healthy, 1 held: c1 (suspended)", "True", "Unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			why := ""
			if tt.cells == nil {
				why = "all are tainted"
			}
			s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), why, cells(tt.cells...), t0)
			wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
			r := meta.FindStatusCondition(s.Conditions, ready)
			require.Equal(t, tt.ready, r.Status)
			require.Equal(t, tt.reason, r.Reason)
			require.Equal(t, tt.message, r.Message)
			require.Equal(t, tt.reconciles, reasonOf(s.Conditions, reconciling))
			require.Equal(t, tt.stalls, reasonOf(s.Conditions, stalled))
			require.Equal(t, tt.applied, string(meta.FindStatusCondition(s.Conditions, v1alpha1.Applied).Status))
			require.Equal(t, tt.healthy, string(meta.FindStatusCondition(s.Conditions, v1alpha1.HealthyType).Status))
			require.Equal(t, len(tt.cells) > 0, meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Scheduled))
			if tt.cells == nil {
				require.Equal(t, int64(-1), s.ObservedGeneration, "no cluster is not every cluster")
			}
		})
	}
}

func reasonOf(conditions []metav1.Condition, typ string) string {
	if c := meta.FindStatusCondition(conditions, typ); c != nil {
		return c.Reason
	}
	return ""
}

func TestObjectOverTime(t *testing.T) {
	s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), "", cells("missing"), t0)
	require.Equal(t, int64(-1), s.ObservedGeneration)
	s = Object(s, 1, kind.Of(deployment), "", cells("healthy"), t1)
	require.Equal(t, int64(1), s.ObservedGeneration)
	require.Equal(t, stamp(t1), meta.FindStatusCondition(s.Conditions, ready).LastTransitionTime)
	require.Equal(t, stamp(t0), meta.FindStatusCondition(s.Conditions, v1alpha1.Scheduled).LastTransitionTime)
	s = Object(s, 1, kind.Of(deployment), "", cells("unreachable"), t1)
	require.Equal(t, int64(1), s.ObservedGeneration, "it never goes back")
	require.False(t, meta.IsStatusConditionTrue(s.Conditions, ready), "and does not stay green")
	require.Empty(t, s.Clusters[0].Digest, "what an unreachable cluster ran is not what it runs")
}

func TestObjectAggregate(t *testing.T) {
	s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), "", cells("healthy", "older", "unreachable"), t0)
	var total map[string]any
	require.NoError(t, json.Unmarshal(s.Aggregate.Raw, &total))
	require.EqualValues(t, 4, total["replicas"])
	require.EqualValues(t, 2, total["updatedReplicas"], "old pods are not updated ones")
	require.Nil(t, Object(s, 1, kind.Of(schema.GroupKind{Kind: "ConfigMap"}), "", cells("healthy"), t0).Aggregate)
	require.Nil(t, Object(s, 1, kind.Of(schema.GroupKind{Kind: "Service"}), "", []Cell{{Cluster: "a", Want: "x"}}, t0).Aggregate)
}

func TestObjectIsBounded(t *testing.T) {
	var cs []Cell
	for i := range 1000 {
		cs = append(cs, Cell{
			Object: web, Cluster: fmt.Sprintf("%s-%d", strings.Repeat("c", 40), i), Want: "new", Error: strings.Repeat("é\n", 5000),
			Report: report("old", 1, 1, "Healthy"),
		})
	}
	s := Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(deployment), "", cs, t0)
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	require.Less(t, len(raw), 64<<10)
	require.Len(t, s.Clusters, 10)
	require.Equal(t, int32(990), s.Omitted)
	wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
	t.Log("bytes at 1,000 clusters:", len(raw))
}
