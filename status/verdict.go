package status

import (
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	ready       = meta.ReadyCondition
	reconciling = meta.ReconcilingCondition
	stalled     = meta.StalledCondition
)

// verdict is the common meaning of Ready, Reconciling and Stalled.
type verdict struct {
	ready   metav1.ConditionStatus
	reason  string
	message string
	// reconciling is the reason of Reconciling=True; empty if accord does nothing.
	reconciling string
	// stalled is set if no retry can fix it.
	stalled bool
}

// succeeded returns the only verdict with Ready=True.
func succeeded(message string) verdict {
	return verdict{ready: metav1.ConditionTrue, reason: ReconciliationSucceeded, message: message}
}

// inProgress returns the verdict on something that progresses.
func inProgress(message string) verdict {
	return verdict{ready: metav1.ConditionUnknown, reason: Progressing, message: message, reconciling: Progressing}
}

// retrying returns the verdict on something that is retried.
func retrying(reason, message string) verdict {
	return verdict{ready: metav1.ConditionFalse, reason: reason, message: message, reconciling: ProgressingWithRetry}
}

// terminal returns the verdict on something that no retry can fix.
func terminal(reason, message string) verdict {
	return verdict{ready: metav1.ConditionFalse, reason: reason, message: message, stalled: true}
}

// waiting returns the verdict on something that is stopped on purpose.
func waiting(reason, message string) verdict {
	return verdict{ready: metav1.ConditionUnknown, reason: reason, message: message}
}
