package reconciler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAddedTaints(t *testing.T) {
	now, earlier := time.Unix(100, 5), &metav1.Time{Time: time.Unix(50, 0)}
	taint := func(key, value string, effect corev1.TaintEffect, added *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: effect, TimeAdded: added}
	}
	declared := []corev1.Taint{taint("mine", "1", corev1.TaintEffectNoSchedule, nil)}
	before := []corev1.Taint{taint("old", "", corev1.TaintEffectNoExecute, earlier), taint("gone", "", corev1.TaintEffectNoSchedule, nil)}
	wanted := []corev1.Taint{
		declared[0], taint("old", "", corev1.TaintEffectNoExecute, nil), taint("new", "", corev1.TaintEffectNoExecute, nil),
		taint("new", "", corev1.TaintEffectNoSchedule, nil), taint("mine", "2", corev1.TaintEffectNoSchedule, nil),
	}
	require.Equal(t, []corev1.Taint{
		taint("old", "", corev1.TaintEffectNoExecute, earlier),
		taint("new", "", corev1.TaintEffectNoExecute, &metav1.Time{Time: time.Unix(100, 0).UTC()}),
		taint("new", "", corev1.TaintEffectNoSchedule, nil),
		taint("mine", "2", corev1.TaintEffectNoSchedule, nil),
	}, addedTaints(wanted, declared, before, now), "what evicts says since when; what is declared is not repeated")
	require.Empty(t, addedTaints(declared, declared, before, now), "what a policy removed is gone")
}

func TestTaintWakesWhatChanged(t *testing.T) {
	var woken []string
	p := newProber(nil, nil, newEngine(nil, nil, nil))
	p.wake = func(cluster string) { woken = append(woken, cluster) }
	p.taint(map[string][]corev1.Taint{"a": {{Key: "x"}}})
	p.taint(map[string][]corev1.Taint{"a": {{Key: "x", TimeAdded: &metav1.Time{Time: time.Unix(1, 0)}}}, "b": nil})
	p.taint(map[string][]corev1.Taint{"a": nil, "b": nil})
	require.Equal(t, []string{"a", "b", "a"}, woken)
}
