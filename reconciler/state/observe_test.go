package state

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

var (
	contendedID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	midday      = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// What an object was judged by while nobody held the lock is looked at again before the judgement counts.
func TestStaleBases(t *testing.T) {
	first, second := &propagate.Rendered{ID: contendedID, Digest: "d1"}, &propagate.Rendered{ID: contendedID, Digest: "d1"}
	for name, c := range map[string]struct {
		meanwhile func(l *delivery.State)
		same      bool
	}{
		"nothing happened": {func(*delivery.State) {}, true},
		"the same plan, held": {func(l *delivery.State) {
			l.Wants.Set(contendedID, wanted.Object{Digest: "d1", Object: first, Held: "by hand"})
		}, true},
		"another plan":             {func(l *delivery.State) { l.Wants.Set(contendedID, wanted.Object{Digest: "d1", Object: second}) }, false},
		"nobody wants it any more": {func(l *delivery.State) { clear(l.Wants) }, false},
		"a delivery was accepted": {func(l *delivery.State) {
			l.Live.Settle(map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d1", Fields: ownership.Hash{2}}}})
		}, false},
		"the cluster was lost, and is looked at":  {func(l *delivery.State) { l.Live.Clear() }, false},
		"another cluster has shown what it means": {func(l *delivery.State) { l.Proven[contendedID] = live.Proof{Accepted: live.Accepted{Digest: "d1"}} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &delivery.State{Desired: delivery.Desired{Wants: wanted.Objects{}}, Proven: live.Proven{}}
			l.Wants.Set(contendedID, wanted.Object{Digest: "d1", Object: first})
			l.Live.Put(contendedID, live.Object{Digest: "d1", Accepted: live.Accepted{Digest: "d1", Fields: ownership.Hash{1}}})
			before := l.Base(contendedID)
			c.meanwhile(l)
			require.Equal(t, c.same, l.Base(contendedID).Same(before))
		})
	}
}

// What the watches of all clusters tell at once is kept, and judged by the plan in force.
func TestObserversOfManyClusters(t *testing.T) {
	s := newScale(t, 20, 6)
	s.plans()
	s.adopts()
	done := make(chan bool)
	for _, c := range s.clusters {
		go func() {
			defer func() { done <- true }()
			for _, p := range s.plan.ForCluster(c).Objects {
				s.f.observe(c, s.live(p.Rendered, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			}
		}()
	}
	for range s.clusters {
		<-done
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	for _, c := range s.clusters {
		l := s.f.clusters[c]
		require.Equal(t, 20, l.Live.Len())
		for _, p := range s.plan.ForCluster(c).Objects {
			seen, _ := l.Live.Get(p.ID)
			require.True(t, seen.Intact && seen.Digest == p.Digest, "%s on %s", p.ID, c)
			report, known := l.Reports.Get(p.ID)
			require.True(t, known)
			require.Equal(t, "3 of 3 available", report.Message)
		}
	}
}

// Drift during a delivery is repaired after it.
func TestDriftDuringADelivery(t *testing.T) {
	theirs := live.Object{Digest: "d1", Version: 7, ChangedBy: "kubectl-edit"}
	ours := live.Answer{Accepted: live.Accepted{Digest: "d1"}, Version: 9}
	for name, c := range map[string]struct {
		seen   *live.Object
		result delivery.Result
		again  int
	}{
		"changed":                       {&theirs, delivery.Result{}, 1},
		"deleted":                       {nil, delivery.Result{}, 1},
		"written after it":              {&theirs, delivery.Result{Answers: map[manifest.ID]live.Answer{contendedID: ours}}, 0},
		"written before it":             {&live.Object{Digest: "d1", Version: 10}, delivery.Result{Answers: map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d1", Fields: ownership.Hash{2}}, Version: 9}}}, 1},
		"rejected, which is retried":    {&theirs, delivery.Result{Failure: "Rejected", Errors: map[manifest.ID]string{contendedID: "no"}}, 0},
		"the delivery failed":           {&theirs, delivery.Result{Failure: "Unreachable", Error: "no"}, 0},
		"observed as wanted since then": {&live.Object{Digest: "d1", Intact: true}, delivery.Result{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, l := delivering(t)
			require.Empty(t, f.ObserveDeleted("member", contendedID, midday).Deliveries, "before the delivery looks, it is the delivery's")
			j := delivery.Job{State: l, Orders: delivery.Orders{Plan: f.active.plan}}
			f.Live(j, midday)
			require.Empty(t, l.Drifted)

			var changes changes.Changes
			if c.seen == nil {
				changes = f.ObserveDeleted("member", contendedID, midday)
			} else {
				base, _ := f.Base("member", contendedID)
				changes, _ = f.Observe("member", contendedID, Observation{Base: base, Seen: *c.seen}, midday)
			}
			require.Empty(t, changes.Deliveries)
			require.Len(t, f.Conclude(j, c.result, midday).Deliveries, c.again)
			if l.Run.Finished {
				require.Empty(t, l.Drifted)
			}
		})
	}
}

// delivering returns a Federation that delivers one object to one cluster.
func delivering(t *testing.T) (*Federation, *delivery.State) {
	t.Helper()
	f := New(&v1alpha1.Federation{}, NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
	f.active.plan = &propagate.Plan{}
	l := delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "member"}}, f.shared.proven)
	l.Wants.Set(contendedID, wanted.Object{Digest: "d1"})
	f.clusters["member"] = l
	return f, l
}

// A newer plan cancels a delivery. What was written by then is not written again.
func TestCancelledDeliveryKnowsItsAnswers(t *testing.T) {
	f, l := delivering(t)
	l.Live.Put(contendedID, live.Object{Digest: "d1", Version: 7, Intact: true})
	answers := map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d2"}, Version: 9}}
	f.Conclude(delivery.Job{State: l}, delivery.Result{Cancelled: true, Answers: answers}, midday)
	seen, _ := l.Live.Get(contendedID)
	require.True(t, seen.Digest == "d2" && seen.Intact)
	require.Zero(t, l.Run, "of the active plan, nothing is done")
}

func TestSharedInventories(t *testing.T) {
	kept := []string{"a", "b"}
	f := &Federation{clusters: map[string]*delivery.State{"one": {}, "two": {}}}
	f.clusters["one"].SetInventory(kept)
	require.Same(t, &kept[0], &delivery.Shared(f.clusters, []string{"a", "b"})[0])
	other := []string{"a", "c"}
	require.Same(t, &other[0], &delivery.Shared(f.clusters, other)[0])
	require.Empty(t, delivery.Shared(f.clusters, nil))
}

// TestHostileLabelledObjects has a member report more labelled objects than accord keeps.
func TestHostileLabelledObjects(t *testing.T) {
	s := newScale(t, 1, 6)
	s.plans()
	s.adopts()
	cluster := s.clusters[0]
	l := s.f.clusters[cluster]
	seen := changes.Changes{}
	for i := range 3000 {
		id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("labelled-", i)}
		c, recorded := s.f.Observe(cluster, id, Observation{Base: l.Base(id)}, midday)
		require.True(t, recorded)
		seen.Events = append(seen.Events, c.Events...)
	}
	require.Less(t, l.Live.Len(), 1200)
	require.Less(t, len(slices.Collect(l.Reports.IDs())), 1200)
	require.Len(t, seen.Events, 1)
	for _, p := range s.plan.ForCluster(cluster).Objects {
		s.f.observe(cluster, s.live(p.Rendered, midday))
		require.Equal(t, p.Digest, l.Seen(p.ID).Digest)
	}
}
