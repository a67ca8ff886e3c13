package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestNothingToleratesADrain(t *testing.T) {
	all := corev1.Toleration{Operator: corev1.TolerationOpExists}
	require.True(t, policy.Tolerates(all, corev1.Taint{Key: v1alpha1.TaintUnschedulable, Effect: corev1.TaintEffectNoExecute}))
	require.False(t, policy.Tolerates(all, corev1.Taint{Key: v1alpha1.TaintDrain, Effect: corev1.TaintEffectNoExecute}))
}
