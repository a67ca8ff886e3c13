package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// TestReleaseSnapshot reads Releases as package status writes them.
func TestReleaseSnapshot(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	leg := func(name string, state v1alpha1.State, reason string, applied bool) status.DeliveryState {
		return status.DeliveryState{Cluster: name, State: state, Reason: reason, Applied: applied, Since: now.Add(-time.Hour)}
	}
	healthy := leg("a", v1alpha1.Healthy, status.ReconciliationSucceeded, true)
	moving := leg("b", v1alpha1.Progressing, status.Progressing, true)
	heldLeg := leg("c", v1alpha1.Held, status.Held, false)
	lost := leg("d", v1alpha1.Unreachable, status.ClustersUnreachable, false)
	sick := leg("e", v1alpha1.Failed, status.HealthCheckFailed, true)
	broken := leg("f", v1alpha1.Failed, status.BuildFailed, false)
	broken.Stalled = true
	legs := func(l ...status.DeliveryState) status.ReleaseInput {
		return status.ReleaseInput{Objects: 1, Deliveries: l}
	}
	starting, unplaced, mistake, suspended := legs(healthy, heldLeg), legs(healthy, heldLeg), legs(), legs(healthy, moving)
	starting.Starting, unplaced.Unplaced, mistake.Errors, suspended.Suspended = true, []string{"ConfigMap a/b: nothing fits"}, []string{"a.yaml:1: no"}, true
	suspended.Deliveries[1].Applied = false
	unapproved, approved := legs(heldLeg, moving), legs(healthy)
	allHeld, refused := legs(heldLeg), legs(heldLeg)
	allHeld.Approval, refused.Approval = &status.Approval{Digest: "sha256:1"}, &status.Approval{Digest: "sha256:1", Refused: "the author approved"}
	unapproved.Approval, approved.Approval = &status.Approval{Digest: "sha256:1"}, &status.Approval{Digest: "sha256:1", By: "x"}

	for _, c := range []struct {
		state         string
		release       status.ReleaseInput
		toBe, toApply Result
	}{
		{"all healthy", legs(healthy), Done, Done},
		{"one on its way", legs(healthy, moving), "", Done},
		{"one unhealthy", legs(healthy, sick), "", Done},
		{"one held", legs(healthy, heldLeg), Held, Held},
		{"one held, one on its way", legs(healthy, heldLeg, moving), "", Held},
		{"one lost", legs(healthy, lost), Unreachable, Unreachable},
		{"one lost, one held", legs(healthy, heldLeg, lost), Held, Held},
		{"one that cannot be rendered", legs(healthy, broken), Failed, Failed},
		{"about to start", starting, "", ""},
		{"an object that fits no cluster", unplaced, "", ""},
		{"a commit with a mistake", mistake, Failed, Failed},
		{"a suspended federation", suspended, Held, Held},
		{"a plan that nobody approved, beside clusters that move", unapproved, Held, Held},
		{"a plan that nobody approved, and all clusters held", allHeld, Held, Held},
		{"a plan whose approval does not count", refused, Held, Held},
		{"a plan that was approved", approved, Done, Done},
	} {
		t.Run(c.state, func(t *testing.T) {
			rel := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "prod-1", Generation: 4}, Spec: v1alpha1.ReleaseSpec{PlanDigest: "sha256:1"}}
			rel.Status = status.Release(v1alpha1.ReleaseStatus{}, 4, c.release, now)
			fed := &v1alpha1.Federation{Spec: v1alpha1.FederationSpec{Suspend: c.release.Suspended}}
			s := ReleaseSnapshot(fed, rel)
			require.Equal(t, c.toBe, Judge(s, Goal{}, now).Result, "healthy: %+v", s)
			require.Equal(t, c.toApply, Judge(s, Goal{Applied: true}, now).Result, "applied: %+v", s)

			if c.release.Approval != nil { // what somebody approves is waited for, before the loops have seen it
				rel.Annotations = map[string]string{v1alpha1.ApprovedPlanAnnotation: "sha256:0,sha256:1", v1alpha1.ApprovedByAnnotation: "alice"}
				s := ReleaseSnapshot(fed, rel)
				require.Equal(t, c.release.Approval.Refused != "", s.AwaitingApproval != "")
				if c.toBe == Held && c.release.Approval.Refused == "" {
					require.Empty(t, Judge(s, Goal{}, now).Result)
					require.Empty(t, Judge(s, Goal{Applied: true}, now).Result)
				}
				rel.Annotations = nil
			}
			rel.Generation = 5 // the plan changed since: nothing is known about it
			if !c.release.Suspended {
				require.Empty(t, Judge(ReleaseSnapshot(fed, rel), Goal{}, now).Result)
			}
		})
	}
}
