package reconciler

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func named(name string) *v1alpha1.Delivery {
	return &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name}}
}

// step is one judgement of a delivery, after some seconds, and what is told.
type step struct {
	after      int
	generation int64 // 0: as before
	conditions []string
	final      bool
	suspended  bool
	told       []string
}

func TestNewsOfADelivery(t *testing.T) {
	const grace = int(failingGrace / time.Second)
	failing := []string{"Ready=False/ApplyFailed"}
	for name, tt := range map[string]struct {
		left  []string // what the process before left
		steps []step
	}{
		"a conflict that is tried again and then succeeds": {steps: []step{
			{conditions: failing},
			{after: 1, conditions: failing},
			{after: 2, conditions: []string{"Ready=True"}},
			{after: 2 * grace, conditions: failing},
			{after: 2*grace + 5, conditions: []string{"Ready=True"}},
		}},
		"it keeps failing": {steps: []step{
			{conditions: failing},
			{after: grace, conditions: failing, told: []string{"Warning ApplyFailed"}},
			{after: 10 * grace, conditions: failing},
			{after: 11 * grace, conditions: []string{"Ready=False/ReconciliationFailed"}},
			{after: 12 * grace, conditions: []string{"Ready=False/ReconciliationFailed"}, told: []string{"Warning ReconciliationFailed"}},
			{after: 13 * grace, conditions: failing},
			{after: 15 * grace, conditions: failing},
		}},
		"it fails for good": {steps: []step{
			{conditions: failing, final: true, told: []string{"Warning ApplyFailed"}},
			{after: 1, conditions: failing, final: true},
			{after: 2, generation: 2, conditions: failing, final: true, told: []string{"Warning ApplyFailed"}},
		}},
		"the brake": {steps: []step{
			{conditions: []string{"Ready=False/PruneBlocked", "Stalled=True"}, told: []string{"Warning PruneBlocked"}},
			{after: 1, conditions: []string{"Ready=False/PruneBlocked", "Stalled=True"}},
		}},
		"a cluster that does not answer is told of the Cluster": {steps: []step{
			{conditions: []string{"Ready=False/ClustersUnreachable"}},
			{after: 10 * grace, conditions: []string{"Ready=False/ClustersUnreachable"}},
		}},
		"what failed before a restart was told": {left: failing, steps: []step{
			{conditions: failing, final: true},
			{after: 2 * grace, conditions: failing},
			{after: 3 * grace, generation: 2, conditions: failing, final: true, told: []string{"Warning ApplyFailed"}},
		}},
		"a hold": {steps: []step{
			{conditions: []string{"Ready=Unknown/Held", "Held=True"}, told: []string{"Normal Suspended"}},
			{after: 1, generation: 2, conditions: []string{"Ready=Unknown/Held", "Held=True"}},
			{after: 2, conditions: []string{"Ready=True"}, told: []string{"Normal Resumed"}},
		}},
		"a hold from before a restart": {left: []string{"Ready=Unknown/Held", "Held=True"}, steps: []step{
			{conditions: []string{"Ready=Unknown/Held", "Held=True"}},
			{after: 1, conditions: []string{"Ready=True"}, told: []string{"Normal Resumed"}},
		}},
		"a suspension is told of the Federation": {steps: []step{
			{conditions: []string{"Ready=Unknown/Held", "Held=True"}, suspended: true},
			{after: 1, conditions: []string{"Ready=True"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var n deliveryNews
			d := named("shop-eu")
			d.Generation, d.Status = 1, deliverySaying(1, tt.left...)
			for i, s := range tt.steps {
				if s.generation != 0 {
					d.Generation = s.generation
				}
				n.final = s.final
				next := deliverySaying(d.Generation, s.conditions...)
				news, again := n.judged(d, next, s.suspended, noon.Add(time.Duration(s.after)*time.Second))
				var told []string
				for _, m := range news {
					told = append(told, m.kind+" "+m.reason)
				}
				require.Equal(t, s.told, told, "step %d", i)
				require.GreaterOrEqual(t, failingGrace, again)
				d.Status = next
			}
		})
	}
	t.Run("what may mend itself is looked at again", func(t *testing.T) {
		var n deliveryNews
		d := named("shop-eu")
		d.Generation = 1
		_, again := n.judged(d, deliverySaying(1, failing...), false, noon)
		require.Equal(t, failingGrace, again)
		_, again = n.judged(d, deliverySaying(1, failing...), false, noon.Add(failingGrace/4))
		require.Equal(t, failingGrace*3/4, again)
	})
}

// deliverySaying is a status with conditions, "Ready=False/ApplyFailed".
func deliverySaying(generation int64, conditions ...string) v1alpha1.DeliveryStatus {
	s := v1alpha1.DeliveryStatus{ObservedGeneration: generation}
	for _, c := range conditions {
		kind, value, _ := strings.Cut(c, "=")
		value, reason, _ := strings.Cut(value, "/")
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), Reason: reason, ObservedGeneration: generation})
	}
	return s
}

func TestRoll(t *testing.T) {
	fresh, lost := &v1alpha1.Cluster{}, &v1alpha1.Cluster{}
	fresh.Name, lost.Name = "fresh", "lost"
	lost.Status.Conditions = []metav1.Condition{{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionFalse}}
	var r roll
	require.False(t, r.call(fresh, true), "a cluster that answers at first is no news")
	require.True(t, r.call(fresh, false))
	require.False(t, r.call(fresh, false))
	require.True(t, r.call(fresh, true))
	require.False(t, r.call(lost, false), "that was told before the restart")
	require.True(t, r.call(lost, true))
	r.strike("lost")
	require.Equal(t, []string{"fresh"}, r.names())
	never := &v1alpha1.Cluster{}
	never.Name = "never"
	require.True(t, r.call(never, false), "a cluster that was never there")
}

func TestNewsOfAFederation(t *testing.T) {
	said := &[]string{}
	e := newEngine(nil, nil, func(about client.Object, kind, reason, message string) {
		*said = append(*said, fmt.Sprintf("%s %s %s: %s", about.GetName(), kind, reason, message))
	})
	f := &federation{declaration: &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}}}
	fails := func(err error) { e.unread(f, err); e.looked(f) }

	fails(errors.New("dial tcp: timeout"))
	require.Empty(t, *said, "once is a hiccup")
	fails(errors.New("dial tcp: another port: timeout"))
	fails(errors.New("dial tcp: a third port: timeout"))
	require.Len(t, *said, 1)
	require.Contains(t, (*said)[0], "shop Warning FetchFailed: the sources cannot be read; the clusters keep what they have: dial tcp")

	f.unread = ""
	e.looked(f)
	fails(errors.New("EOF"))
	require.Len(t, *said, 1, "it could be read in between")

	f.declaration.Spec.Suspend = true
	e.looked(f)
	e.looked(f)
	f.declaration.Spec.Suspend = false
	e.looked(f)
	require.Len(t, *said, 3)
	require.Contains(t, (*said)[1], "shop Normal Suspended")
	require.Contains(t, (*said)[2], "shop Normal Resumed")

	r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{Revision: "main@sha1:4f2c"}}
	mistakes := errors.Join(errors.New("policies/web.yaml:14: no such field"), errors.New("policies/web.yaml:19: neither"))
	e.tellRefused(f.declaration, r, v1alpha1.ReleaseStatus{}, mistakes)
	e.tellRefused(f.declaration, r, v1alpha1.ReleaseStatus{Errors: []string{"policies/web.yaml:14: no such..."}}, mistakes)
	require.Len(t, *said, 4, "a process that starts again does not say it again")
	require.Equal(t, "shop Warning BuildFailed: commit main@sha1:4f2c is refused, and the clusters keep what they have: policies/web.yaml:14: no such field (and 1 more)", (*said)[3])
}
