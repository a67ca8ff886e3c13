package report

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
)

// DiskSpace sets the condition DiskSpaceLow of a Federation to a message, and removes it with an empty one. It changes nothing else.
func (r *Reporter) DiskSpace(ctx context.Context, f *state.Federation, low string) error {
	defer r.lock(federationLock(f))()
	fed := f.Declared()
	before := fed.DeepCopy().Status.Conditions
	if low == "" {
		meta.RemoveStatusCondition(&fed.Status.Conditions, v1alpha1.DiskSpaceLow)
	} else {
		meta.SetStatusCondition(&fed.Status.Conditions, metav1.Condition{
			Type: v1alpha1.DiskSpaceLow, Status: metav1.ConditionTrue, Reason: "AlmostFull", Message: low, ObservedGeneration: fed.Status.ObservedGeneration,
		})
	}
	if equality.Semantic.DeepEqual(before, fed.Status.Conditions) {
		return nil
	}
	return r.putFederationStatus(ctx, f, fed)
}
