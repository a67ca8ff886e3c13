package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/wanted"
)

// The watches show an object on the last cluster before the delivery there ends. Its status waits for the end, and no longer.
func TestTheLastResultEndsTheWaitOfObservedObjects(t *testing.T) {
	f, first := delivering(t)
	last := delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "last"}}, f.shared.proven)
	last.Wants.Set(contendedID, wanted.Object{Digest: "d1"})
	f.clusters["last"] = last
	for _, name := range []string{"member", "last"} {
		f.registry.SetReachability(name, reachability.State{})
	}
	f.bulk.Begin(map[manifest.ID]bool{contendedID: true}, 1, midday)

	want := changes.Update{Status: changes.Status{Federation: f.key, Object: contendedID}, Interval: changes.ObjectInterval}
	waits := want
	waits.Interval, waits.Since = changes.StartDelay, midday
	for _, l := range []*delivery.State{first, last} {
		base, _ := f.Base(l.Name, contendedID)
		c, recorded := f.Observe(l.Name, contendedID, Observation{Base: base, Seen: live.Object{Digest: "d1", Intact: true}}, midday)
		require.True(t, recorded)
		require.Contains(t, c.Updates, waits)
	}
	conclude := func(l *delivery.State) []changes.Update {
		return f.Conclude(delivery.Job{State: l, Orders: delivery.Orders{Plan: f.active.plan}}, delivery.Result{}, midday.Add(time.Millisecond)).Updates
	}
	require.NotContains(t, conclude(first), want)
	require.Contains(t, conclude(last), want)
	require.NotContains(t, conclude(last), want, "it is made once")
}
