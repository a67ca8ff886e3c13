package state

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func named(name string) *v1alpha1.Delivery {
	return &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name}}
}

// step is one status of a Delivery, after some seconds, and its events.
type step struct {
	after      int
	generation int64 // 0: as before
	conditions []string
	final      bool
	suspended  bool
	events     []string
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
			{after: grace, conditions: failing, events: []string{"Warning ApplyFailed"}},
			{after: 10 * grace, conditions: failing},
			{after: 11 * grace, conditions: []string{"Ready=False/ReconciliationFailed"}},
			{after: 12 * grace, conditions: []string{"Ready=False/ReconciliationFailed"}, events: []string{"Warning ReconciliationFailed"}},
			{after: 13 * grace, conditions: failing},
			{after: 15 * grace, conditions: failing},
		}},
		"it fails for good": {steps: []step{
			{conditions: failing, final: true, events: []string{"Warning ApplyFailed"}},
			{after: 1, conditions: failing, final: true},
			{after: 2, generation: 2, conditions: failing, final: true, events: []string{"Warning ApplyFailed"}},
		}},
		"the brake": {steps: []step{
			{conditions: []string{"Ready=False/PruneBlocked", "Stalled=True"}, events: []string{"Warning PruneBlocked"}},
			{after: 1, conditions: []string{"Ready=False/PruneBlocked", "Stalled=True"}},
		}},
		"an unreachable cluster is an event of the Cluster": {steps: []step{
			{conditions: []string{"Ready=False/ClustersUnreachable"}},
			{after: 10 * grace, conditions: []string{"Ready=False/ClustersUnreachable"}},
		}},
		"a failure from before a restart had its event": {left: failing, steps: []step{
			{conditions: failing, final: true},
			{after: 2 * grace, conditions: failing},
			{after: 3 * grace, generation: 2, conditions: failing, final: true, events: []string{"Warning ApplyFailed"}},
		}},
		"a hold": {steps: []step{
			{conditions: []string{"Ready=Unknown/Held", "Held=True"}, events: []string{"Normal Suspended"}},
			{after: 1, generation: 2, conditions: []string{"Ready=Unknown/Held", "Held=True"}},
			{after: 2, conditions: []string{"Ready=True"}, events: []string{"Normal Resumed"}},
		}},
		"a hold from before a restart": {left: []string{"Ready=Unknown/Held", "Held=True"}, steps: []step{
			{conditions: []string{"Ready=Unknown/Held", "Held=True"}},
			{after: 1, conditions: []string{"Ready=True"}, events: []string{"Normal Resumed"}},
		}},
		"a suspension is an event of the Federation": {steps: []step{
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
				next := deliverySaying(d.Generation, s.conditions...)
				var c Changes
				again := n.compare(&c, d, next, s.suspended, s.final, noon.Add(time.Duration(s.after)*time.Second))
				var emitted []string
				for _, e := range c.Events {
					emitted = append(emitted, e.Type+" "+e.Reason)
				}
				require.Equal(t, s.events, emitted, "step %d", i)
				require.GreaterOrEqual(t, failingGrace, again)
				d.Status = next
			}
		})
	}
	t.Run("what may mend itself is looked at again", func(t *testing.T) {
		var n deliveryNews
		d := named("shop-eu")
		d.Generation = 1
		again := n.compare(&Changes{}, d, deliverySaying(1, failing...), false, false, noon)
		require.Equal(t, failingGrace, again)
		again = n.compare(&Changes{}, d, deliverySaying(1, failing...), false, false, noon.Add(failingGrace/4))
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

func TestNewsOfAFederation(t *testing.T) {
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}}, NewRegistry(), fingerprint.New(nil, true))
	var said []string
	emit := func(c Changes) {
		for _, e := range c.Events {
			said = append(said, fmt.Sprintf("%s %s %s: %s", e.About.GetName(), e.Type, e.Reason, e.Message))
		}
	}
	fails := func(err error) { emit(f.SourceUnavailable(err)); emit(f.Reconciled(noon)) }

	fails(errors.New("dial tcp: timeout"))
	require.Empty(t, said, "once is a hiccup")
	fails(errors.New("dial tcp: another port: timeout"))
	fails(errors.New("dial tcp: a third port: timeout"))
	require.Len(t, said, 1)
	require.Contains(t, said[0], "shop Warning FetchFailed: the sources cannot be read; the clusters keep what they have: dial tcp")

	f.newest.sourceError = ""
	emit(f.Reconciled(noon))
	fails(errors.New("EOF"))
	require.Len(t, said, 1, "it could be read in between")

	f.declared.object.Spec.Suspend = true
	emit(f.Reconciled(noon))
	emit(f.Reconciled(noon))
	f.declared.object.Spec.Suspend = false
	emit(f.Reconciled(noon))
	require.Len(t, said, 3)
	require.Contains(t, said[1], "shop Normal Suspended")
	require.Contains(t, said[2], "shop Normal Resumed")

	r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{Revision: "main@sha1:4f2c"}}
	mistakes := errors.Join(errors.New("policies/web.yaml:14: no such field"), errors.New("policies/web.yaml:19: neither"))
	emit(f.Rejected(InputKey{}, r, v1alpha1.ReleaseStatus{}, mistakes, noon))
	emit(f.Rejected(InputKey{}, r, v1alpha1.ReleaseStatus{Errors: []string{"policies/web.yaml:14: no such..."}}, mistakes, noon))
	require.Len(t, said, 4, "a process that starts again does not emit it again")
	require.Equal(t, "shop Warning BuildFailed: commit main@sha1:4f2c is rejected, and the clusters keep what they have: policies/web.yaml:14: no such field (and 1 more)", said[3])
}
