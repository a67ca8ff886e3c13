package taint_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/propagate/taint"
)

func TestTimed(t *testing.T) {
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: begin.Add(time.Duration(seconds) * time.Second)}
	}
	evicts := func(value string, added *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: "maintenance", Value: value, Effect: corev1.TaintEffectNoExecute, TimeAdded: added}
	}
	stays := corev1.Taint{Key: "team", Effect: corev1.TaintEffectNoSchedule}
	declared := []corev1.Taint{stays, evicts("a", nil)}
	require.Equal(t, []corev1.Taint{stays, evicts("a", at(7))}, taint.Timed(declared, nil, begin.Add(7*time.Second)))
	require.Equal(t, []corev1.Taint{stays, evicts("a", at(3))}, taint.Timed(declared, []corev1.Taint{evicts("a", at(3))}, begin.Add(7*time.Second)))
	require.Equal(t, []corev1.Taint{stays, evicts("a", at(7))}, taint.Timed(declared, []corev1.Taint{evicts("b", at(3))}, begin.Add(7*time.Second)), "another value is another taint")
	require.Equal(t, []corev1.Taint{evicts("a", at(1))}, taint.Timed([]corev1.Taint{evicts("a", at(1))}, []corev1.Taint{evicts("a", at(3))}, begin.Add(7*time.Second)))
	require.Nil(t, declared[1].TimeAdded, "the argument is not changed")
	require.Nil(t, taint.Timed(nil, nil, begin))
}
