package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// What an object was judged by while nobody held the lock is looked at again before the judgement counts.
func TestStaleBases(t *testing.T) {
	first, second := &propagate.Rendered{ID: contendedID, Digest: "d1"}, &propagate.Rendered{ID: contendedID, Digest: "d1"}
	for name, c := range map[string]struct {
		meanwhile func(l *cluster)
		same      bool
	}{
		"nothing happened":         {func(*cluster) {}, true},
		"the same plan, held":      {func(l *cluster) { l.wants.set(contendedID, want{digest: "d1", object: first, held: "by hand"}) }, true},
		"another plan":             {func(l *cluster) { l.wants.set(contendedID, want{digest: "d1", object: second}) }, false},
		"nobody wants it any more": {func(l *cluster) { clear(l.wants) }, false},
		"a delivery was accepted": {func(l *cluster) {
			l.live.Settle(map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d1", Fields: 2}}})
		}, false},
		"the cluster was lost, and is looked at":  {func(l *cluster) { l.live.Clear() }, false},
		"another cluster has shown what it means": {func(l *cluster) { l.proven[contendedID] = live.Accepted{Digest: "d1"} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &cluster{desired: desired{wants: wants{}}, proven: live.Proven{}}
			l.wants.set(contendedID, want{digest: "d1", object: first})
			l.live.Put(contendedID, live.Object{Digest: "d1", Accepted: live.Accepted{Digest: "d1", Fields: 1}})
			before := l.base(contendedID)
			c.meanwhile(l)
			require.Equal(t, c.same, l.base(contendedID).same(before))
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
		require.Equal(t, 20, l.live.Len())
		for _, p := range s.plan.ForCluster(c).Objects {
			seen, _ := l.live.Get(p.ID)
			require.True(t, seen.Intact && seen.Digest == p.Digest, "%s on %s", p.ID, c)
			report, known := l.reports.Get(p.ID)
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
		result Result
		again  int
	}{
		"changed":                       {&theirs, Result{}, 1},
		"deleted":                       {nil, Result{}, 1},
		"written after it":              {&theirs, Result{Answers: map[manifest.ID]live.Answer{contendedID: ours}}, 0},
		"written before it":             {&live.Object{Digest: "d1", Version: 10}, Result{Answers: map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d1", Fields: 2}, Version: 9}}}, 1},
		"rejected, which is retried":    {&theirs, Result{Failure: "Rejected", Errors: map[manifest.ID]string{contendedID: "no"}}, 0},
		"the delivery failed":           {&theirs, Result{Failure: "Unreachable", Error: "no"}, 0},
		"observed as wanted since then": {&live.Object{Digest: "d1", Intact: true}, Result{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, l := delivering(t)
			require.Empty(t, f.ObserveDeleted("member", contendedID, midday).Deliveries, "before the delivery looks, it is the delivery's")
			j := Job{cluster: l, Plan: f.active.plan}
			f.Live(j, midday)
			require.Empty(t, l.drifted)

			var changes Changes
			if c.seen == nil {
				changes = f.ObserveDeleted("member", contendedID, midday)
			} else {
				base, _ := f.Base("member", contendedID)
				changes, _ = f.Observe("member", contendedID, Observation{Base: base, Seen: *c.seen}, midday)
			}
			require.Empty(t, changes.Deliveries)
			require.Len(t, f.Conclude(j, c.result, midday).Deliveries, c.again)
			if l.run.Finished {
				require.Empty(t, l.drifted)
			}
		})
	}
}

// delivering returns a Federation that delivers one object to one cluster.
func delivering(t *testing.T) (*Federation, *cluster) {
	t.Helper()
	f := New(&v1alpha1.Federation{}, NewRegistry(), fingerprint.New(nil, true))
	f.active.plan = &propagate.Plan{}
	l := newCluster(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "member"}}, f.shared.proven)
	l.wants.set(contendedID, want{digest: "d1"})
	f.clusters["member"] = l
	return f, l
}

// A newer plan cancels a delivery. What was written by then is not written again.
func TestCancelledDeliveryKnowsItsAnswers(t *testing.T) {
	f, l := delivering(t)
	l.live.Put(contendedID, live.Object{Digest: "d1", Version: 7, Intact: true})
	answers := map[manifest.ID]live.Answer{contendedID: {Accepted: live.Accepted{Digest: "d2"}, Version: 9}}
	f.Conclude(Job{cluster: l}, Result{Cancelled: true, Answers: answers}, midday)
	seen, _ := l.live.Get(contendedID)
	require.True(t, seen.Digest == "d2" && seen.Intact)
	require.Zero(t, l.run, "of the active plan, nothing is done")
}

func TestSharedInventories(t *testing.T) {
	kept := []string{"a", "b"}
	f := &Federation{clusters: map[string]*cluster{"one": {}, "two": {}}}
	f.clusters["one"].run.Inventory = kept
	f.clusters["two"].run.Inventory = []string{}
	require.Same(t, &kept[0], &f.share([]string{"a", "b"})[0])
	other := []string{"a", "c"}
	require.Same(t, &other[0], &f.share(other)[0])
	require.Nil(t, f.share(nil), "none is not an empty one")
	require.NotNil(t, f.share([]string{}))
}
