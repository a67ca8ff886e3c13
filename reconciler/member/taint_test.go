package member

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTimed(t *testing.T) {
	now, earlier := time.Unix(100, 5), &metav1.Time{Time: time.Unix(50, 0)}
	taint := func(key string, effect corev1.TaintEffect, added *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: key, Effect: effect, TimeAdded: added}
	}
	before := []corev1.Taint{taint("old", corev1.TaintEffectNoExecute, earlier), taint("gone", corev1.TaintEffectNoSchedule, nil)}
	wanted := []corev1.Taint{
		taint("old", corev1.TaintEffectNoExecute, nil), taint("new", corev1.TaintEffectNoExecute, nil), taint("new", corev1.TaintEffectNoSchedule, nil),
	}
	require.Equal(t, []corev1.Taint{
		taint("old", corev1.TaintEffectNoExecute, earlier),
		taint("new", corev1.TaintEffectNoExecute, &metav1.Time{Time: time.Unix(100, 0).UTC()}),
		taint("new", corev1.TaintEffectNoSchedule, nil),
	}, timed(wanted, before, now), "what evicts says since when")
	require.Empty(t, timed(nil, before, now), "what a policy removed is gone")
}
