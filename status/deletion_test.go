package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestDefectR11ADeletionCountsWhenTheObjectIsGone(t *testing.T) {
	run := completed
	run.Cluster, run.DeletionTimeout = "c0", 5*time.Minute
	run.Deletions = []v1alpha1.PendingDeletion{
		{Object: "ConfigMap shop/old", Finalizer: "example.com/guard", Since: since(t0)}, {Object: "ConfigMap shop/older"},
	}
	soon := t0.Add(time.Minute)
	s := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells(objects("healthy")), soon)
	now := meta.FindStatusCondition(s.Conditions, ready)
	require.Equal(t, metav1.ConditionUnknown, now.Status)
	require.Equal(t, Progressing, now.Reason)
	require.True(t, meta.IsStatusConditionPresentAndEqual(s.Conditions, v1alpha1.Applied, metav1.ConditionUnknown))
	require.Empty(t, s.LastAppliedRevision)
	require.Equal(t, &v1alpha1.WaitingFor{
		Cluster: "c0", Object: "ConfigMap shop/old", Finalizer: "example.com/guard", Since: since(t0), Deadline: since(t0.Add(5 * time.Minute)),
		Message: "ConfigMap shop/old is being deleted, and waits for the finalizer example.com/guard since " + t0.UTC().Format(time.RFC3339) + " (and 1 more object)",
	}, s.WaitingFor)
	require.Equal(t, 4*time.Minute, run.DeletionWait(soon))

	r := Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Objects: 1, Deliveries: []DeliveryState{NewDeliveryState("c0", 1, s)}}, soon)
	require.Equal(t, Progressing, meta.FindStatusCondition(r.Conditions, ready).Reason)
	require.Equal(t, "example.com/guard", r.WaitingFor.Finalizer)
	require.Equal(t, "ConfigMap shop/old", r.WaitingFor.Object)
	require.Equal(t, "c0", r.WaitingFor.Cluster)

	late := t0.Add(6 * time.Minute)
	s = Delivery(s, 1, revision, run, CountCells(objects("healthy")), late)
	require.True(t, meta.IsStatusConditionTrue(s.Conditions, stalled))
	require.Equal(t, DeletionBlocked, meta.FindStatusCondition(s.Conditions, ready).Reason)
	r = Release(r, 1, ReleaseInput{Objects: 1, Deliveries: []DeliveryState{NewDeliveryState("c0", 1, s)}}, late)
	require.True(t, meta.IsStatusConditionTrue(r.Conditions, stalled))
	require.Equal(t, DeletionBlocked, meta.FindStatusCondition(r.Conditions, ready).Reason)
	require.Equal(t, "example.com/guard", r.WaitingFor.Finalizer)

	run.Deletions = nil
	s = Delivery(s, 1, revision, run, CountCells(objects("healthy")), late)
	require.True(t, meta.IsStatusConditionTrue(s.Conditions, ready))
	require.Nil(t, s.WaitingFor)
}
