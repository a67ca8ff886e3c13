package policy

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Tolerates reports whether a toleration matches a taint by the rule of Kubernetes: an empty effect or key matches all, Exists matches
// every value; without an operator the value must be equal. No toleration matches the taint of "accord drain".
func Tolerates(t corev1.Toleration, taint corev1.Taint) bool {
	if taint.Key == v1alpha1.TaintDrain {
		return false
	}
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case corev1.TolerationOpExists:
		return true
	case corev1.TolerationOpEqual, "":
		return t.Value == taint.Value
	}
	return false
}
