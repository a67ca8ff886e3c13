package status_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// A Release says what the rollout that needs somebody first says, and is done only when all are.
func TestReleaseOfRollouts(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	waits := &v1alpha1.WaitingFor{Cluster: "eu-2", Stage: "europe", Message: "to become healthy", Deadline: status.Time(now.Add(time.Hour))}
	is := func(verdict string) v1alpha1.RolloutStatus {
		return v1alpha1.RolloutStatus{Policy: "standard", Phase: verdict, Reason: verdict, Message: "says so", Stage: "europe", WaitingFor: waits}
	}
	final := func(verdict, reason string) v1alpha1.RolloutStatus {
		r := is(verdict)
		r.Reason, r.Terminal = reason, true
		return r
	}
	done := v1alpha1.RolloutStatus{Policy: "other", Phase: "Complete", Reason: "Complete"}
	healthy, held := leg("eu-1", v1alpha1.Healthy), leg("eu-2", v1alpha1.Held)
	failed := leg("eu-1", v1alpha1.Failed)
	failed.Reason = status.HealthCheckFailed
	for _, c := range []struct {
		name        string
		rollouts    []v1alpha1.RolloutStatus
		legs        []status.DeliveryState
		ready       metav1.ConditionStatus
		reason      string
		reconciling string
		stalled     bool
		applied     metav1.ConditionStatus
	}{
		{"complete", []v1alpha1.RolloutStatus{done}, []status.DeliveryState{healthy}, "True", "ReconciliationSucceeded", "", false, "True"},
		{"complete, and people hold a cluster", []v1alpha1.RolloutStatus{done}, []status.DeliveryState{healthy, held}, "Unknown", "Held", "", false, "True"},
		{"a stage moves", []v1alpha1.RolloutStatus{is("Progressing")}, []status.DeliveryState{healthy, held}, "Unknown", "Progressing", "Progressing", false, "Unknown"},
		{"a stage soaks", []v1alpha1.RolloutStatus{is("Soaking")}, []status.DeliveryState{healthy, held}, "Unknown", "Soaking", "Progressing", false, "Unknown"},
		{"a window is waited for", []v1alpha1.RolloutStatus{is("WaitingForWindow")}, []status.DeliveryState{healthy, held}, "Unknown", "WaitingForWindow", "Progressing", false, "Unknown"},
		{"a person is waited for", []v1alpha1.RolloutStatus{is("WaitingForApproval")}, []status.DeliveryState{healthy, held}, "Unknown", "WaitingForApproval", "", false, "True"},
		{"it is paused", []v1alpha1.RolloutStatus{is("Paused")}, []status.DeliveryState{healthy, held}, "Unknown", "Paused", "", false, "True"},
		{"one waits for a person, another moves", []v1alpha1.RolloutStatus{is("WaitingForApproval"), is("Soaking")}, []status.DeliveryState{healthy, held}, "Unknown", "Soaking", "Progressing", false, "Unknown"},
		{"too many are away", []v1alpha1.RolloutStatus{is("Halted")}, []status.DeliveryState{healthy, held}, "False", "Halted", "ProgressingWithRetry", false, "Unknown"},
		{"halted", []v1alpha1.RolloutStatus{is("Soaking"), final("Halted", "ProgressDeadlineExceeded")}, []status.DeliveryState{failed, held}, "False", "ProgressDeadlineExceeded", "", true, "False"},
		{"rolled back", []v1alpha1.RolloutStatus{final("RolledBack", "RolledBack")}, []status.DeliveryState{held}, "False", "RolledBack", "", true, "False"},
		{"a cluster fails within its deadline", []v1alpha1.RolloutStatus{is("Progressing")}, []status.DeliveryState{failed, held}, "False", "HealthCheckFailed", "ProgressingWithRetry", false, "Unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := status.Release(v1alpha1.ReleaseStatus{}, 3, status.ReleaseInput{Objects: 1, Deliveries: c.legs, Rollouts: c.rollouts}, now)
			ready := meta.FindStatusCondition(s.Conditions, "Ready")
			require.Equal(t, c.ready, ready.Status)
			require.Equal(t, c.reason, ready.Reason)
			require.Equal(t, c.stalled, meta.IsStatusConditionTrue(s.Conditions, "Stalled"))
			require.Equal(t, c.applied, meta.FindStatusCondition(s.Conditions, v1alpha1.Applied).Status)
			moving := meta.FindStatusCondition(s.Conditions, "Reconciling")
			if c.reconciling == "" {
				require.Nil(t, moving)
			} else {
				require.Equal(t, c.reconciling, moving.Reason)
			}
			if strings.HasPrefix(c.name, "a stage") {
				require.Equal(t, waits, s.WaitingFor)
			}
			require.Len(t, s.Rollouts, len(c.rollouts))
		})
	}
}

// leg of one cluster, as it reads in a release.
func leg(cluster string, state v1alpha1.State) status.DeliveryState {
	return status.DeliveryState{Cluster: cluster, State: state, Reason: string(state), Applied: state == v1alpha1.Healthy, Written: true}
}

// However many rollouts there are, a Release stays small.
func TestReleaseOfManyRollouts(t *testing.T) {
	var many []v1alpha1.RolloutStatus
	for i := range 40 {
		r := v1alpha1.RolloutStatus{
			Policy: fmt.Sprintf("shop/rollout-%02d", i), Phase: "Progressing", Message: strings.Repeat("long ", 1000),
			WaitingFor: &v1alpha1.WaitingFor{Message: strings.Repeat("long ", 1000)},
		}
		for s := range 40 {
			r.Stages = append(r.Stages, v1alpha1.StageStatus{Name: fmt.Sprintf("stage-%02d", s), Message: strings.Repeat("long ", 1000)})
			r.OutdatedClusters = append(r.OutdatedClusters, fmt.Sprintf("cluster-%02d", s))
		}
		many = append(many, r)
	}
	s := status.Release(v1alpha1.ReleaseStatus{}, 1, status.ReleaseInput{Rollouts: many}, time.Now())
	require.Len(t, s.Rollouts, 10)
	require.EqualValues(t, 30, s.RolloutsOmitted)
	require.Len(t, s.Rollouts[0].Stages, 16)
	require.EqualValues(t, 24, s.Rollouts[0].StagesOmitted)
	require.EqualValues(t, 30, s.Rollouts[0].OutdatedClustersOmitted)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.Less(t, len(text), 48<<10)
}
