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

// verdict is what Ready, Reconciling and Stalled say together.
type verdict struct {
	ready   metav1.ConditionStatus
	reason  string
	message string
	// reconciling is the reason of Reconciling=True; empty if nobody is working on it.
	reconciling string
	// stalled says that no retry can fix it.
	stalled bool
}

// succeeded is the only verdict with Ready=True.
func succeeded(message string) verdict {
	return verdict{ready: metav1.ConditionTrue, reason: ReconciliationSucceeded, message: message}
}

// inProgress is a verdict about something that moves.
func inProgress(message string) verdict {
	return verdict{ready: metav1.ConditionUnknown, reason: Progressing, message: message, reconciling: Progressing}
}

// retrying is a verdict about something that is tried again.
func retrying(reason, message string) verdict {
	return verdict{ready: metav1.ConditionFalse, reason: reason, message: message, reconciling: ProgressingWithRetry}
}

// terminal is a verdict about something that no retry can fix.
func terminal(reason, message string) verdict {
	return verdict{ready: metav1.ConditionFalse, reason: reason, message: message, stalled: true}
}

// waiting is a verdict about something that nobody works on, because somebody wanted it so.
func waiting(reason, message string) verdict {
	return verdict{ready: metav1.ConditionUnknown, reason: reason, message: message}
}
