package news

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
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
			var n Delivery
			d := named("shop-eu")
			d.Generation, d.Status = 1, deliverySaying(1, tt.left...)
			for i, s := range tt.steps {
				if s.generation != 0 {
					d.Generation = s.generation
				}
				next := deliverySaying(d.Generation, s.conditions...)
				var c changes.Changes
				again := n.Compare(&c, d, next, s.suspended, s.final, noon.Add(time.Duration(s.after)*time.Second))
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
		var n Delivery
		d := named("shop-eu")
		d.Generation = 1
		again := n.Compare(&changes.Changes{}, d, deliverySaying(1, failing...), false, false, noon)
		require.Equal(t, failingGrace, again)
		again = n.Compare(&changes.Changes{}, d, deliverySaying(1, failing...), false, false, noon.Add(failingGrace/4))
		require.Equal(t, failingGrace*3/4, again)
	})
}

// A wait for another Federation is one event, and a warning only if a person has to end it.
func TestAWaitForAFederationIsToldOnce(t *testing.T) {
	var n Federation
	var c changes.Changes
	about := &v1alpha1.Federation{}
	for _, err := range []error{
		&status.DependencyError{Reason: "DependencyNotReady", Message: "waits for Federation shop/db", Temporary: true},
		&status.DependencyError{Reason: "DependencyNotReady", Message: "waits for Federation shop/db", Temporary: true},
		&status.DependencyError{Reason: "DependencyCycle", Message: "shop/web -> shop/db -> shop/web"},
	} {
		n.SourceFailed(&c, about, err)
	}
	require.Equal(t, []changes.Event{
		{About: about, Type: changes.Normal, Reason: "DependencyNotReady", Message: "waits for Federation shop/db"},
		{About: about, Type: changes.Warning, Reason: "DependencyCycle", Message: "shop/web -> shop/db -> shop/web"},
	}, c.Events)
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
