package report

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/status"
)

// DiskSpace sets the condition DiskSpaceLow of a Federation to a message, and removes it with an empty one. It changes nothing else.
func (r *Reporter) DiskSpace(ctx context.Context, f *state.Federation, low string) error {
	_, err := r.setResource(ctx, f, v1alpha1.DiskSpaceLow, "AlmostFull", low)
	return err
}

// Memory sets the condition MemoryPressure of a Federation to a message, and removes it with an empty one. It reports whether the
// condition changed.
func (r *Reporter) Memory(ctx context.Context, f *state.Federation, full string) (changed bool, err error) {
	return r.setResource(ctx, f, v1alpha1.MemoryPressure, "AboveLimit", full)
}

// SourceVerified sets the condition SourceVerified of a Federation with the signers of its sources, and removes it if no source is
// verified.
func (r *Reporter) SourceVerified(ctx context.Context, f *state.Federation, signers string) error {
	_, err := r.setResource(ctx, f, v1alpha1.SourceVerified, status.Succeeded, signers)
	return err
}

func (r *Reporter) setResource(ctx context.Context, f *state.Federation, condition, reason, message string) (changed bool, err error) {
	defer r.lock(federationLock(f))()
	fed := f.Declared()
	before := fed.DeepCopy().Status.Conditions
	if message == "" {
		meta.RemoveStatusCondition(&fed.Status.Conditions, condition)
	} else {
		meta.SetStatusCondition(&fed.Status.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, Reason: reason, Message: message,
			ObservedGeneration: max(fed.Status.ObservedGeneration, 0), // -1: nothing was observed yet, which the schema of conditions refuses
		})
	}
	if equality.Semantic.DeepEqual(before, fed.Status.Conditions) {
		return false, nil
	}
	return true, r.putFederationStatus(ctx, f, fed)
}
