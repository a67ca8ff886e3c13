package deschedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/status/kind"
)

var now = time.Date(2026, 1, 1, 0, 10, 0, 0, time.UTC)

func pod(conditions ...corev1.PodCondition) corev1.Pod {
	return corev1.Pod{Status: corev1.PodStatus{Conditions: conditions}}
}

func stuck(since time.Duration) corev1.Pod {
	return pod(corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, LastTransitionTime: metav1.NewTime(now.Add(-since)),
	})
}

func TestCount(t *testing.T) {
	ready := pod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	starting := pod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	gated := pod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated})
	leaving := stuck(time.Hour)
	leaving.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		pods     []corev1.Pod
		replicas int32
		want     int32
	}{
		"no pods":                           {nil, 3, 0},
		"longer than the threshold":         {[]corev1.Pod{ready, stuck(6 * time.Minute), stuck(time.Hour)}, 3, 2},
		"exactly the threshold":             {[]corev1.Pod{stuck(5 * time.Minute)}, 1, 0},
		"shorter than the threshold":        {[]corev1.Pod{ready, stuck(time.Minute)}, 2, 0},
		"a pod that starts":                 {[]corev1.Pod{starting}, 1, 0},
		"a gate":                            {[]corev1.Pod{gated}, 1, 0},
		"a pod that is being deleted":       {[]corev1.Pod{leaving}, 1, 0},
		"never below the ready ones":        {[]corev1.Pod{ready, ready, stuck(time.Hour)}, 2, 0},
		"surge of a rolling update":         {[]corev1.Pod{ready, stuck(time.Hour), stuck(time.Hour)}, 2, 1},
		"more ready pods than replicas":     {[]corev1.Pod{ready, ready, ready}, 2, 0},
		"a workload without a replica left": {[]corev1.Pod{stuck(time.Hour)}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Count(c.pods, c.replicas, 5*time.Minute, now)) })
	}
}

func TestApplies(t *testing.T) {
	with := func(change func(*policy.ReplicaScheduling)) *policy.Policy {
		p := &policy.Policy{}
		p.Spec.Placement.ReplicaScheduling = &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided}
		change(p.Spec.Placement.ReplicaScheduling)
		return p
	}
	byRoom := func(s *policy.ReplicaScheduling) {
		s.WeightPreference = &policy.WeightPreference{DynamicWeight: "AvailableReplicas"}
	}
	lazy := with(byRoom)
	lazy.Spec.ActivationPreference = policy.Lazy
	require.True(t, Applies(with(byRoom)))
	require.True(t, Applies(with(func(s *policy.ReplicaScheduling) { s.ReplicaDivisionPreference = policy.Aggregated })))
	require.False(t, Applies(with(func(*policy.ReplicaScheduling) {})), "static weights ignore free resources")
	require.False(t, Applies(with(func(s *policy.ReplicaScheduling) { byRoom(s); s.ReplicaSchedulingType = policy.Duplicated })))
	require.False(t, Applies(lazy))
	require.False(t, Applies(&policy.Policy{}))
	require.False(t, Applies(nil))
}

func TestCopies(t *testing.T) {
	web, api := manifest.ID{Group: "apps", Kind: "Deployment", Name: "web"}, manifest.ID{Group: "apps", Kind: "Deployment", Name: "api"}
	all := Sorted([]Copy{{web, "b", 1, 4}, {web, "a", 2, 6}, {api, "b", 3, 3}})
	require.Equal(t, Copies{{api, "b", 3, 3}, {web, "a", 2, 6}, {web, "b", 1, 4}}, all)
	require.Equal(t, all[1:3], all.Of(web))
	require.Empty(t, all.Of(manifest.ID{Name: "other"}))
	require.EqualValues(t, 2, all.Of(web).On("a", 6))
	require.Zero(t, all.Of(web).On("a", 4), "observed before the decision")
	require.Zero(t, all.Of(web).On("c", 0))
	require.Empty(t, Copies(nil).Text())
	require.NotEqual(t, all[:1].Text(), all[:2].Text())
	require.Equal(t, map[manifest.ID]bool{web: true}, Changed(all, Copies{{api, "b", 3, 3}, {web, "a", 2, 6}}))
}

func TestMoves(t *testing.T) {
	on := func(counts ...int32) (all []previous.Cluster) {
		for i, n := range counts {
			if n > 0 {
				all = append(all, previous.Cluster{Name: string(rune('a' + i)), Replicas: &n})
			}
		}
		return all
	}
	copies := Copies{{manifest.ID{}, "a", 2, 6}}
	for name, c := range map[string]struct {
		copies Copies
		before previous.Decision
		after  []previous.Cluster
		want   string
		moved  bool
	}{
		"two replicas move":          {copies, previous.Decision{Clusters: on(6, 1)}, on(4, 2, 1), "a could not schedule 2 of 6 replicas, b has 1 more, c has 1 more", true},
		"a scale-up is no move":      {copies, previous.Decision{Clusters: on(6, 1)}, on(4, 6, 1), "a could not schedule 2 of 6 replicas, b has 2 more", true},
		"all replicas move":          {Copies{{manifest.ID{}, "a", 1, 1}}, previous.Decision{Clusters: on(1)}, on(0, 1), "a could not schedule 1 of 1 replica, b has 1 more", true},
		"no place":                   {copies, previous.Decision{Clusters: on(6, 1)}, on(6, 1), "", false},
		"the same division":          {nil, previous.Decision{Clusters: on(4, 3), Descheduled: previous.Descheduled{Moves: "earlier"}}, on(4, 3), "earlier", false},
		"another division":           {nil, previous.Decision{Clusters: on(4, 3), Descheduled: previous.Descheduled{Moves: "earlier"}}, on(5, 3), "", false},
		"fewer, observed of another": {copies, previous.Decision{Clusters: on(7, 1)}, on(3, 1), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := Object{Copies: c.copies, Before: c.before, Kind: &kind.Kind{}}
			got, moved := o.Remember(func() []previous.Cluster { return c.after }, nil)
			require.Equal(t, c.want, got.Moves)
			require.Equal(t, c.moved, moved)
		})
	}
}
