package taint_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/taint"
)

var begin = time.Unix(1_800_000_000, 0).UTC()

// automatic returns an automatic taint that was added some seconds after begin.
func automatic(key string, effect corev1.TaintEffect, seconds int) corev1.Taint {
	return corev1.Taint{Key: "cluster.karmada.io/" + key, Effect: effect, TimeAdded: &metav1.Time{Time: begin.Add(time.Duration(seconds) * time.Second)}}
}

func condition(status metav1.ConditionStatus, seconds int) *metav1.Condition {
	return &metav1.Condition{Type: v1alpha1.FailoverBlocked, Status: status, LastTransitionTime: metav1.NewTime(begin.Add(time.Duration(seconds) * time.Second))}
}

func TestAutomatic(t *testing.T) {
	const keep, evict = corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	team := corev1.Taint{Key: "team", Effect: keep}
	all := func(taints ...corev1.Taint) []corev1.Taint { return append([]corev1.Taint{team}, taints...) }
	for name, c := range map[string]struct {
		before []corev1.Taint
		health taint.Health
		at     int // seconds
		want   []corev1.Taint
	}{
		"never probed":           {all(), taint.Health{}, 0, all()},
		"Ready":                  {all(), taint.Health{Ready: "True"}, 0, all()},
		"Ready again":            {all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300)), taint.Health{Ready: "True"}, 400, all()},
		"not Ready":              {all(), taint.Health{Ready: "False"}, 7, all(automatic("not-ready", keep, 7))},
		"unknown":                {all(), taint.Health{Ready: "Unknown"}, 7, all(automatic("unreachable", keep, 7))},
		"not Ready, a while":     {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False"}, 299, all(automatic("not-ready", keep, 0))},
		"not Ready, the timeout": {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False"}, 300, all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300))},
		"not Ready, for long":    {all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300)), taint.Health{Ready: "False"}, 900, all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300))},
		"no longer known":        {all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300)), taint.Health{Ready: "Unknown"}, 400, all(automatic("unreachable", keep, 0), automatic("unreachable", evict, 300))},
		"not Ready, and answers": {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False", Answers: true}, 900, all(automatic("not-ready", keep, 0))},
		"accord doubts":          {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False", Blocked: condition("True", 100)}, 900, all(automatic("not-ready", keep, 0))},
		"accord doubts, and the taint is there": {
			all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300)), taint.Health{Ready: "False", Blocked: condition("True", 350)}, 900,
			all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 300)),
		},
		"a while after the doubt":   {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False", Blocked: condition("False", 700)}, 999, all(automatic("not-ready", keep, 0))},
		"the timeout after a doubt": {all(automatic("not-ready", keep, 0)), taint.Health{Ready: "False", Blocked: condition("False", 700)}, 1000, all(automatic("not-ready", keep, 0), automatic("not-ready", evict, 1000))},
	} {
		t.Run(name, func(t *testing.T) {
			c.health.EvictionTimeout = 5 * time.Minute
			now := begin.Add(time.Duration(c.at) * time.Second)
			got := taint.Automatic(c.before, c.health, now)
			require.Equal(t, c.want, got)
			require.Equal(t, got, taint.Automatic(got, c.health, now), "the same again")
		})
	}
}

// TestAutomaticOverTime follows random clusters: a Ready cluster has no automatic taint, each effect is there at most once, NoExecute never
// without NoSchedule, never before the timeout, and the taints of others stay as they are.
func TestAutomaticOverTime(t *testing.T) {
	random := rand.New(rand.NewPCG(17, uint64(time.Now().UnixNano())))
	evicted := 0
	for range 200 {
		taints, now, notReady := []corev1.Taint{{Key: "team", Effect: corev1.TaintEffectNoExecute}}, begin, time.Time{}
		h := taint.Health{Ready: metav1.ConditionTrue, EvictionTimeout: time.Minute}
		for range 200 {
			now = now.Add(time.Duration(random.IntN(20)) * time.Second)
			if random.IntN(10) == 0 {
				h.Ready = []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}[random.IntN(3)]
			}
			h.Answers = random.IntN(5) == 0
			fleet := taint.Fleet{NotReady: random.IntN(4), All: 4, MaxNotReady: 70}
			h.Blocked = fleet.Blocked(h.Blocked, 1, now)
			if h.Ready == metav1.ConditionTrue {
				h.Blocked, notReady = nil, time.Time{}
			} else if notReady.IsZero() {
				notReady = now
			}
			had := effects(taints)
			taints = taint.Automatic(taints, h, now)
			require.Equal(t, corev1.Taint{Key: "team", Effect: corev1.TaintEffectNoExecute}, taints[0])
			switch got := effects(taints); {
			case h.Ready == metav1.ConditionTrue:
				require.Empty(t, got)
			case len(got) == 1:
				require.Equal(t, []corev1.TaintEffect{corev1.TaintEffectNoSchedule}, got)
				require.NotEqual(t, 2, len(had), "NoExecute stays until the cluster is Ready")
			default:
				require.Equal(t, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}, got)
				if len(had) < 2 {
					evicted++
					require.GreaterOrEqual(t, now.Sub(notReady), time.Minute)
					require.False(t, h.Answers)
					require.True(t, h.Blocked == nil || h.Blocked.Status == metav1.ConditionFalse)
				}
			}
		}
	}
	require.Greater(t, evicted, 100, "the test sees NoExecute")
}

// effects returns the effects of the automatic taints.
func effects(taints []corev1.Taint) []corev1.TaintEffect {
	var all []corev1.TaintEffect
	for _, t := range taints {
		if taint.IsAutomatic(t.Key) {
			all = append(all, t.Effect)
		}
	}
	return all
}

func TestFleetBlocks(t *testing.T) {
	now := begin.Add(time.Hour)
	for name, c := range map[string]struct {
		fleet  taint.Fleet
		before *metav1.Condition
		want   metav1.ConditionStatus // empty: no condition
		since  time.Time
	}{
		"the only cluster":              {taint.Fleet{NotReady: 1, All: 1, MaxNotReady: 30}, nil, "", time.Time{}},
		"one of two":                    {taint.Fleet{NotReady: 1, All: 2, MaxNotReady: 30}, nil, "", time.Time{}},
		"both":                          {taint.Fleet{NotReady: 2, All: 2, MaxNotReady: 30}, nil, "True", now},
		"three of ten":                  {taint.Fleet{NotReady: 3, All: 10, MaxNotReady: 30}, nil, "", time.Time{}},
		"four of ten":                   {taint.Fleet{NotReady: 4, All: 10, MaxNotReady: 30}, nil, "True", now},
		"four of ten, still":            {taint.Fleet{NotReady: 4, All: 10, MaxNotReady: 30}, condition("True", 5), "True", begin.Add(5 * time.Second)},
		"three of ten, after the doubt": {taint.Fleet{NotReady: 3, All: 10, MaxNotReady: 30}, condition("True", 5), "False", now},
		"later":                         {taint.Fleet{NotReady: 3, All: 10, MaxNotReady: 30}, condition("False", 5), "False", begin.Add(5 * time.Second)},
		"the witness is unreachable":    {taint.Fleet{NotReady: 1, All: 4, MaxNotReady: 30, Witness: "no route"}, nil, "True", now},
		"all, and 100% are allowed":     {taint.Fleet{NotReady: 4, All: 4, MaxNotReady: 100}, nil, "", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.fleet.Blocked(c.before, 7, now)
			if c.want == "" {
				require.Nil(t, got)
				return
			}
			require.Equal(t, c.want, got.Status)
			require.Equal(t, c.since, got.LastTransitionTime.UTC())
			require.EqualValues(t, 7, got.ObservedGeneration)
		})
	}
	require.Equal(t, "4 of 10 clusters are not Ready, more than 30%: accord doubts its own network, and adds no taint NoExecute",
		taint.Fleet{NotReady: 4, All: 10, MaxNotReady: 30}.Blocked(nil, 1, now).Message)
}

func TestWitnessBlocks(t *testing.T) {
	cut := taint.Fleet{NotReady: 1, All: 4, MaxNotReady: 30, Witness: "the witness cluster eu is unreachable: no route"}
	blocked := cut.Blocked(nil, 1, begin)
	require.Equal(t, v1alpha1.WitnessUnreachable, blocked.Reason)
	require.Equal(t, "the witness cluster eu is unreachable: no route: accord doubts its own network, and adds no taint NoExecute", blocked.Message)
	back := taint.Fleet{NotReady: 1, All: 4, MaxNotReady: 30}
	for range 2 {
		blocked = back.Blocked(blocked, 1, begin.Add(time.Minute))
		require.Equal(t, []string{"False", v1alpha1.WitnessReachable}, []string{string(blocked.Status), blocked.Reason})
		require.Equal(t, begin.Add(time.Minute), blocked.LastTransitionTime.UTC())
	}
}

// TestPoliciesLeaveAutomaticTaints: a ClusterTaintPolicy neither adds nor removes an automatic taint.
func TestPoliciesLeaveAutomaticTaints(t *testing.T) {
	has := automatic("not-ready", corev1.TaintEffectNoSchedule, 0)
	clusters := []fleet.Cluster{{Name: "a", Conditions: map[string]string{"Ready": "False"}, Taints: []corev1.Taint{has}}}
	match := []policy.ConditionMatch{{ConditionType: "Ready", Operator: "In", StatusValues: []string{"False"}}}
	apply := func(spec policy.TaintPolicySpec) []corev1.Taint {
		return taint.Apply(clusters, []policy.TaintPolicy{{Meta: policy.Meta{Name: "p"}, Spec: spec}})[0].Taints
	}
	listed := []policy.PolicyTaint{
		{Key: v1alpha1.TaintNotReady, Effect: corev1.TaintEffectNoSchedule}, {Key: v1alpha1.TaintUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: "team", Effect: corev1.TaintEffectNoSchedule},
	}
	require.Equal(t, []corev1.Taint{has, {Key: "team", Effect: corev1.TaintEffectNoSchedule}}, apply(policy.TaintPolicySpec{AddOnConditions: match, Taints: listed}))
	require.Equal(t, []corev1.Taint{has}, apply(policy.TaintPolicySpec{RemoveOnConditions: match, Taints: listed}))
	require.True(t, slices.Equal([]corev1.Taint{has}, clusters[0].Taints))
}
