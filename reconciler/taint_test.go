package reconciler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// Only what policies change is written down, and never what a person declared: that may be taken back.
func TestTaintsOfADecision(t *testing.T) {
	declared := corev1.Taint{Key: "declared", Effect: corev1.TaintEffectNoSchedule}
	added := corev1.Taint{Key: "added", Effect: corev1.TaintEffectNoSchedule}
	ready := []metav1.Condition{{Type: "Ready", Status: "True"}}
	member := func(name string, c []metav1.Condition, status ...corev1.Taint) v1alpha1.Cluster {
		m := v1alpha1.Cluster{Spec: v1alpha1.ClusterSpec{Taints: []corev1.Taint{declared}}}
		m.Name, m.Status.Conditions, m.Status.Taints = name, c, status
		return m
	}
	match := []policy.ConditionMatch{{ConditionType: "Ready", Operator: "In", StatusValues: []string{"True"}}}
	taint := []policy.PolicyTaint{{Key: "added", Effect: corev1.TaintEffectNoSchedule}}
	decide := func(policies ...policy.TaintPolicy) decision {
		members := []v1alpha1.Cluster{member("a", ready), member("b", nil), member("c", ready, added)}
		d, err := decideFor(nil, members, func(m []v1alpha1.Cluster) propagate.Input {
			return propagate.Input{Fleet: fleetOf(m, nil), TaintPolicies: policies}
		})
		require.NoError(t, err)
		return d
	}
	add := policy.TaintPolicy{Meta: policy.Meta{Name: "add"}, Spec: policy.TaintPolicySpec{AddOnConditions: match, Taints: taint}}
	remove := policy.TaintPolicy{Meta: policy.Meta{Name: "remove"}, Spec: policy.TaintPolicySpec{RemoveOnConditions: match, Taints: taint}}
	require.Empty(t, decide().taints())
	require.Equal(t, map[string][]corev1.Taint{"a": {added}}, decide(add).taints(), "b is not Ready, c has it")
	require.Equal(t, map[string][]corev1.Taint{"c": {}}, decide(remove).taints())
}

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
