package sync

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
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
	planned := func(policies ...policy.TaintPolicy) Decision {
		members := []v1alpha1.Cluster{member("a", ready), member("b", nil), member("c", ready, added)}
		d, err := decide(nil, members, func(m []v1alpha1.Cluster) propagate.Input {
			return propagate.Input{Fleet: fleet.FromAll(m, nil), TaintPolicies: policies}
		})
		require.NoError(t, err)
		return d
	}
	add := policy.TaintPolicy{Meta: policy.Meta{Name: "add"}, Spec: policy.TaintPolicySpec{AddOnConditions: match, Taints: taint}}
	remove := policy.TaintPolicy{Meta: policy.Meta{Name: "remove"}, Spec: policy.TaintPolicySpec{RemoveOnConditions: match, Taints: taint}}
	require.Empty(t, planned().taints())
	require.Equal(t, map[string][]corev1.Taint{"a": {added}}, planned(add).taints(), "b is not Ready, c has it")
	require.Equal(t, map[string][]corev1.Taint{"c": {}}, planned(remove).taints())
}
