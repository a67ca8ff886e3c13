package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// A Release is not done before the hub has the records of its objects.
func TestUnwrittenRecordsKeepAReleaseFromBeingDone(t *testing.T) {
	f := New(&v1alpha1.Federation{}, NewRegistry(reachability.NewTracker()), nil)
	for _, name := range []string{"a", "b"} {
		f.records.objects.Defer(&v1alpha1.FederatedObject{Spec: v1alpha1.FederatedObjectSpec{Template: v1alpha1.TemplateRef{
			APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name,
		}}})
	}
	clusters := []status.DeliveryState{{Cluster: "eu", State: v1alpha1.Healthy, Applied: true}}
	f.records.objects.HideMissing(clusters)
	require.Equal(t, v1alpha1.Progressing, clusters[0].State)
	require.Contains(t, clusters[0].Message, "2 objects")

	for _, id := range f.records.objects.Deferred() {
		f.records.objects.Remove(id)
	}
	clusters[0].State = v1alpha1.Healthy
	f.records.objects.HideMissing(clusters)
	require.Equal(t, v1alpha1.Healthy, clusters[0].State)
}

// A status that was computed while the plan of the same commit is activated again is written.
func TestASecondActivationKeepsAnUnwrittenStatus(t *testing.T) {
	s := newScale(t, 1, 1)
	s.plans()
	s.adopts()
	s.f.active.starting = false
	now := time.Now()
	write := func() *v1alpha1.Release {
		release, _ := s.f.TakeRelease(now)
		return release
	}
	require.NotNil(t, write())
	require.Nil(t, write(), "the hub has it")

	s.f.clusters[s.clusters[0]].Delivery.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: status.ApplyFailed}}
	s.f.FederationStatus(now) // computes the status of the Release, too
	s.activate(s.plan)
	release := write()
	require.NotNil(t, release, "the hub has the status before")
	require.Equal(t, status.ApplyFailed, meta.FindStatusCondition(release.Status.Conditions, "Ready").Reason)
}

// A status that was computed before a newer spec is on the hub is about the generation before.
func TestGenerationOfAnUnwrittenDelivery(t *testing.T) {
	l := delivery.New(&v1alpha1.Delivery{}, nil)
	l.Delivery.Generation = 3
	require.EqualValues(t, 3, l.Generation())
	l.SpecDirty = true
	require.EqualValues(t, 4, l.Generation())
}
