package status

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	revision = "main@sha1:4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c"
	older    = "main@sha1:0000000000000000000000000000000000000000"
)

var completed = Run{Started: true, Finished: true}

func TestDeliveryInvariants(t *testing.T) {
	prev := v1alpha1.DeliveryStatus{ObservedGeneration: 4, LastAppliedRevision: older, LastHealthyRevision: older}
	combinations(3, func(names []string) {
		cs := objects(names...)
		s := Delivery(prev, 5, revision, completed, CountCells(cs), t1)
		where := strings.Join(names, ", ")
		wellFormed(t, 5, s.ObservedGeneration, s.Conditions)
		require.Equal(t, int64(5), s.ObservedGeneration, where)
		allCurrent := !slices.ContainsFunc(names, func(n string) bool { return !current[n] })
		require.Equal(t, allCurrent, meta.IsStatusConditionTrue(s.Conditions, ready), where)
		require.Equal(t, allCurrent, !kubectlWaits(t, 5, s), where)
		require.Equal(t, allCurrent, kstatusSays(t, 5, s) == kstatus.CurrentStatus, where)
		require.Equal(t, slices.ContainsFunc(names, stalls), kstatusSays(t, 5, s) == kstatus.FailedStatus, where)
		require.Equal(t, allCurrent, s.LastHealthyRevision == revision, where)
		everything := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Applied) && s.Summary.Held == 0
		require.Equal(t, everything, s.LastAppliedRevision == revision, where)
		require.Equal(t, everything, NewDeliveryState("east", 5, s).Applied, where)
		require.Equal(t, s, Delivery(s, 5, revision, completed, CountCells(cs), t1.Add(time.Hour)), "%s: not idempotent", where)
		require.Len(t, s.Problems, int(s.Summary.Total-s.Summary.Healthy), where)

		l := NewDeliveryState("east", 5, s)
		require.Equal(t, allCurrent, l.State == v1alpha1.Healthy, where)
		require.Equal(t, v1alpha1.Progressing, NewDeliveryState("east", 6, s).State, "%s: about another revision", where)
	})
}

func TestDelivery(t *testing.T) {
	for name, tt := range map[string]struct {
		run        Run
		cells      []string
		ready      metav1.ConditionStatus
		reason     string
		message    string
		applied    metav1.ConditionStatus
		state      v1alpha1.State
		kstatus    kstatus.Status
		lastTried  string
		conditions []string // beside Ready, Reachable, Applied, Healthy
	}{
		"not begun":                {Run{}, []string{"older"}, "Unknown", Progressing, "0 of 1 objects healthy, 1 progressing: apps/Deployment shop/web0 (still runs another version)", "Unknown", "Progressing", "InProgress", older, []string{reconciling}},
		"all there, not pruned":    {Run{Started: true}, []string{"healthy"}, "Unknown", Progressing, "not finished; 1 of 1 objects healthy", "Unknown", "Progressing", "InProgress", revision, []string{reconciling}},
		"done":                     {completed, []string{"healthy"}, "True", ReconciliationSucceeded, "1 of 1 objects healthy", "True", "Healthy", "Current", revision, nil},
		"everything is gone":       {completed, nil, "True", ReconciliationSucceeded, "0 of 0 objects healthy", "True", "Healthy", "Current", revision, nil},
		"everything is to go":      {Run{Started: true}, nil, "Unknown", Progressing, "not finished; 0 of 0 objects healthy", "Unknown", "Progressing", "InProgress", revision, []string{reconciling}},
		"held":                     {completed, []string{"healthy", "held"}, "Unknown", Held, "1 of 2 objects healthy, 1 held: apps/Deployment shop/web1 (suspended)", "True", "Held", "InProgress", revision, []string{v1alpha1.HeldType}},
		"held, not pruned":         {Run{Started: true}, []string{"healthy", "held"}, "Unknown", Progressing, "not finished; 1 of 2 objects healthy, 1 held: apps/Deployment shop/web1 (suspended)", "Unknown", "Progressing", "InProgress", revision, []string{v1alpha1.HeldType, reconciling}},
		"suspended on its way":     {Run{Started: true}, []string{"held and current", "held"}, "Unknown", Held, "1 of 2 objects healthy, 1 held: apps/Deployment shop/web1 (suspended)", "Unknown", "Held", "InProgress", revision, []string{v1alpha1.HeldType}},
		"suspended before the end": {Run{Started: true}, []string{"held and current"}, "Unknown", Held, "1 of 1 objects healthy", "Unknown", "Held", "InProgress", revision, nil},
		"lost and not renderable":  {Run{Unreachable: "dial: timeout"}, []string{"unrenderable unreachable"}, "False", BuildFailed, "0 of 1 objects healthy, 1 failed: apps/Deployment shop/web0 (no such path)", "False", "Failed", "Failed", older, []string{stalled}},
		"brake":                    {Run{Started: true, Finished: true, PruneBlocked: "7 of 9 objects would be deleted"}, []string{"healthy"}, "False", PruneBlocked, "pruning is stopped: 7 of 9 objects would be deleted; 1 of 1 objects healthy", "False", "Failed", "Failed", revision, []string{stalled}},
		"pruning failed":           {Run{Started: true, Error: "deleting ConfigMap shop/old: forbidden"}, []string{"healthy"}, "False", ReconciliationFailed, "deleting ConfigMap shop/old: forbidden; 1 of 1 objects healthy", "False", "Failed", "InProgress", revision, []string{reconciling}},
		"cluster does not answer":  {Run{Unreachable: "dial: timeout"}, []string{"unreachable"}, "False", ClustersUnreachable, "not heard from: dial: timeout; 0 of 1 objects healthy, 1 unreachable: apps/Deployment shop/web0 (no answer)", "Unknown", "Unreachable", "InProgress", older, []string{reconciling}},
		"cannot be rendered":       {completed, []string{"unrenderable"}, "False", BuildFailed, "0 of 1 objects healthy, 1 failed: apps/Deployment shop/web0 (no such path)", "False", "Failed", "Failed", revision, []string{stalled}},
		"mutated":                  {Run{Started: true, Finished: true, Mutated: mutated}, []string{"mutated"}, "False", Mutated, "0 of 1 objects healthy, 1 failed: apps/Deployment shop/web0 (the cluster changed applied fields: spec.replicas: 2 became 1)", "False", "Failed", "Failed", revision, []string{v1alpha1.MutatedType, stalled}},
		"mutated, only a warning":  {Run{Started: true, Finished: true, Mutated: mutated}, []string{"healthy"}, "True", ReconciliationSucceeded, "1 of 1 objects healthy", "True", "Healthy", "Current", revision, []string{v1alpha1.MutatedType}},
		"drifted":                  {Run{Started: true, Finished: true, Drift: []string{"apps/Deployment shop/web by kubectl-edit"}}, []string{"healthy"}, "True", ReconciliationSucceeded, "1 of 1 objects healthy", "True", "Healthy", "Current", revision, []string{v1alpha1.Drifted}},
	} {
		t.Run(name, func(t *testing.T) {
			prev := v1alpha1.DeliveryStatus{ObservedGeneration: 1, LastAttemptedRevision: older, LastAppliedRevision: older}
			s := Delivery(prev, 2, revision, tt.run, CountCells(objects(tt.cells...)), t0)
			wellFormed(t, 2, s.ObservedGeneration, s.Conditions)
			r := meta.FindStatusCondition(s.Conditions, ready)
			require.Equal(t, tt.ready, r.Status)
			require.Equal(t, tt.reason, r.Reason)
			require.Equal(t, tt.message, r.Message)
			require.Equal(t, tt.applied, meta.FindStatusCondition(s.Conditions, v1alpha1.Applied).Status)
			require.Equal(t, tt.state, NewDeliveryState("east", 2, s).State)
			require.Equal(t, tt.kstatus, kstatusSays(t, 2, s))
			require.Equal(t, tt.lastTried, s.LastAttemptedRevision)
			var extra []string
			for _, c := range s.Conditions {
				if !slices.Contains([]string{ready, v1alpha1.Reachable, v1alpha1.Applied, v1alpha1.HealthyType}, c.Type) {
					extra = append(extra, c.Type)
				}
			}
			require.Equal(t, tt.conditions, extra)
			require.Equal(t, tt.run.Unreachable == "", meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Reachable))
		})
	}
}

func TestDeliveryOverTime(t *testing.T) {
	run := Run{Started: true, Finished: true, InventoryCount: 1, Orphaned: []string{}, LastProbeTime: t0}
	s := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells(objects("healthy")), t0)
	require.Equal(t, stamp(t0), *s.LastProbeTime)

	t.Run("a restart that finds everything as it was changes nothing", func(t *testing.T) {
		require.Equal(t, s, Delivery(s, 1, revision, Run{InventoryCount: 1, LastProbeTime: t1}, CountCells(objects("healthy")), t1))
	})
	t.Run("nor one that finds something held", func(t *testing.T) {
		held := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, completed, CountCells(objects("healthy", "held")), t0)
		require.Equal(t, Held, reasonOf(held.Conditions, ready))
		require.Equal(t, held, Delivery(held, 1, revision, Run{}, CountCells(objects("healthy", "held")), t1))
		next := Delivery(held, 2, older, Run{}, CountCells(objects("healthy", "held")), t1)
		require.Equal(t, Progressing, reasonOf(next.Conditions, ready), "another revision may remove something")
	})
	t.Run("a cluster is lost since it was lost, not since it had another trouble", func(t *testing.T) {
		failed := Delivery(s, 1, revision, completed, CountCells(objects("failed")), t0)
		lost := Delivery(failed, 1, revision, Run{Unreachable: "timeout"}, CountCells(objects("unreachable")), t1)
		require.Equal(t, stamp(t0), meta.FindStatusCondition(lost.Conditions, ready).LastTransitionTime, "False for longer")
		require.Equal(t, t1, NewDeliveryState("east", 1, lost).Since)
	})
	t.Run("a condition that only the definition wrote has no time", func(t *testing.T) {
		fresh := v1alpha1.DeliveryStatus{ObservedGeneration: -1, Conditions: []metav1.Condition{
			{Type: ready, Status: metav1.ConditionUnknown, Reason: Progressing, LastTransitionTime: metav1.Unix(0, 0)},
		}}
		next := Delivery(fresh, 1, revision, Run{}, CountCells(objects("older")), t1)
		require.Equal(t, stamp(t1), meta.FindStatusCondition(next.Conditions, ready).LastTransitionTime)
	})
	t.Run("another revision has to be delivered, even if nothing differs", func(t *testing.T) {
		next := Delivery(s, 2, older, Run{}, CountCells(objects("healthy")), t1)
		require.False(t, meta.IsStatusConditionTrue(next.Conditions, ready))
		require.Equal(t, revision, next.LastAppliedRevision)
	})
	t.Run("the time it was heard moves with something else only", func(t *testing.T) {
		run.LastProbeTime = t1
		require.Equal(t, s, Delivery(s, 1, revision, run, CountCells(objects("healthy")), t1))
		next := Delivery(s, 1, revision, run, CountCells(objects("failed")), t1)
		require.Equal(t, stamp(t1), *next.LastProbeTime)
	})
	t.Run("a problem keeps its time", func(t *testing.T) {
		one := Delivery(s, 1, revision, run, CountCells(objects("failed")), t0)
		two := Delivery(one, 1, revision, run, CountCells(objects("failed", "older")), t1)
		require.Equal(t, stamp(t0), *two.Problems[0].Since)
		require.Equal(t, stamp(t1), *two.Problems[1].Since)
	})
}

func TestDeliveryIsBounded(t *testing.T) {
	var cs []Cell
	for i := range 1000 {
		c := states["refused"]
		c.Object, c.Error = web, strings.Repeat("x", 10000)
		c.Object.Name = fmt.Sprint("web", i)
		cs = append(cs, c)
	}
	s := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, completed, CountCells(cs), t0)
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	require.Less(t, len(raw), 16<<10)
	require.Equal(t, int32(990), s.Omitted)
}
