package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestAFederationWaitsForAnother: the state of an older revision does not hide the wait, and the sources count as read.
func TestAFederationWaitsForAnother(t *testing.T) {
	older := v1alpha1.ReleaseStatus{Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: Succeeded}}}
	for _, c := range []struct {
		temporary, suspended    bool
		reason                  string
		reconciling, nowStalled bool
		ready                   metav1.ConditionStatus
	}{
		{temporary: true, reason: "DependencyNotReady", reconciling: true, ready: metav1.ConditionFalse},
		{reason: "DependencyNotReady", nowStalled: true, ready: metav1.ConditionFalse},
		{temporary: true, suspended: true, reason: Suspended, ready: metav1.ConditionUnknown},
	} {
		err := &DependencyError{Reason: "DependencyNotReady", Message: "waits for Federation shop/db", Temporary: c.temporary}
		got := Federation(v1alpha1.FederationStatus{}, 3, FederationInput{Release: "web-1", Newest: older, FetchError: err, Suspended: c.suspended}, time.Now())
		r := meta.FindStatusCondition(got.Conditions, ready)
		require.Equal(t, c.ready, r.Status)
		require.Equal(t, c.reason, r.Reason)
		require.Contains(t, r.Message, "waits for Federation shop/db")
		require.Equal(t, c.reconciling, meta.IsStatusConditionTrue(got.Conditions, reconciling))
		require.Equal(t, c.nowStalled, meta.IsStatusConditionTrue(got.Conditions, stalled))
		require.True(t, IsRead(err))
	}
}
