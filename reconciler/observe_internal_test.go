package reconciler

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// What an object was judged by while nobody held the lock is looked at again before the judgement counts.
func TestStandardsThatAreNotInForceAnyMore(t *testing.T) {
	first, second := &propagate.Rendered{ID: foughtOver, Digest: "d1"}, &propagate.Rendered{ID: foughtOver, Digest: "d1"}
	for name, c := range map[string]struct {
		meanwhile func(l *leg)
		same      bool
	}{
		"nothing happened":         {func(*leg) {}, true},
		"the same plan, held":      {func(l *leg) { l.wants.set(foughtOver, want{digest: "d1", object: first, held: "by hand"}) }, true},
		"another plan":             {func(l *leg) { l.wants.set(foughtOver, want{digest: "d1", object: second}) }, false},
		"nobody wants it any more": {func(l *leg) { clear(l.wants) }, false},
		"a delivery was accepted": {func(l *leg) {
			l.live.Settle(map[manifest.ID]live.Answer{foughtOver: {Accepted: live.Accepted{Digest: "d1", Fields: 2}}})
		}, false},
		"the cluster was lost, and is looked at":  {func(l *leg) { l.live.Clear() }, false},
		"another cluster has shown what it means": {func(l *leg) { l.proven[foughtOver] = live.Accepted{Digest: "d1"} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &leg{wants: wants{}, proven: live.Proven{}}
			l.wants.set(foughtOver, want{digest: "d1", object: first})
			l.live.Put(foughtOver, live.Object{Digest: "d1", Accepted: live.Accepted{Digest: "d1", Fields: 1}})
			before := l.standard(foughtOver)
			c.meanwhile(l)
			require.Equal(t, c.same, l.standard(foughtOver).same(before))
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
			o := observer{&bulkhead{Member: &clusters.Member{Name: c}, engine: s.engine}, s.f.key}
			for _, p := range s.plan.ForCluster(c).Objects {
				o.Put(s.live(p.Rendered, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			}
		}()
	}
	for range s.clusters {
		<-done
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	for _, c := range s.clusters {
		l := s.f.legs[c]
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

// What somebody changes behind a delivery that is under way is put right after it.
func TestStraysAreRetrieved(t *testing.T) {
	theirs := live.Object{Digest: "d1", Version: 7, ChangedBy: "kubectl-edit"}
	ours := live.Answer{Accepted: live.Accepted{Digest: "d1"}, Version: 9}
	for name, c := range map[string]struct {
		seen    *live.Object
		outcome live.Outcome
		err     error
		again   int
	}{
		"changed":                       {&theirs, live.Outcome{}, nil, 1},
		"deleted":                       {nil, live.Outcome{}, nil, 1},
		"written after it":              {&theirs, live.Outcome{Answers: map[manifest.ID]live.Answer{foughtOver: ours}}, nil, 0},
		"written before it":             {&live.Object{Digest: "d1", Version: 10}, live.Outcome{Answers: map[manifest.ID]live.Answer{foughtOver: {Accepted: live.Accepted{Digest: "d1", Fields: 2}, Version: 9}}}, nil, 1},
		"refused, which is tried again": {&theirs, live.Outcome{Errors: map[manifest.ID]error{foughtOver: errors.New("no")}}, nil, 0},
		"the delivery failed":           {&theirs, live.Outcome{}, errors.New("no"), 0},
		"seen as it should be since":    {&live.Object{Digest: "d1", Intact: true}, live.Outcome{}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScale(t, 1, 1)
			b := &bulkhead{Member: &clusters.Member{Name: "member"}, engine: s.engine, queue: newDeliveryQueue()}
			defer b.queue.ShutDown()
			l := newLeg(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "member"}}, s.f.proven)
			l.wants.set(foughtOver, want{digest: "d1"})
			s.f.legs["member"] = l
			o := observer{b, s.f.key}
			o.note(foughtOver, func(*leg) bool { return true }) // before the delivery looks, it is the delivery's
			s.f.live(l)
			require.Empty(t, l.astray)

			o.note(foughtOver, func(l *leg) bool {
				if c.seen == nil {
					l.live.Delete(foughtOver)
					return true
				}
				l.live.Put(foughtOver, *c.seen)
				return !c.seen.Intact
			})
			require.Zero(t, b.queue.Len())
			b.conclude(t.Context(), s.f, job{leg: l, plan: s.f.plan}, c.outcome, c.err)
			time.Sleep(5 * gather)
			require.Equal(t, c.again, b.queue.Len())
			if l.run.Finished {
				require.Empty(t, l.astray)
			}
		})
	}
}

// A newer plan ends what is under way. What was written by then is not written again.
func TestInterruptedDeliveryKnowsItsAnswers(t *testing.T) {
	s := newScale(t, 1, 1)
	b := &bulkhead{Member: &clusters.Member{Name: "member"}, engine: s.engine, queue: newDeliveryQueue()}
	defer b.queue.ShutDown()
	l := newLeg(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "member"}}, s.f.proven)
	l.live.Put(foughtOver, live.Object{Digest: "d1", Version: 7, Intact: true})
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	written := live.Outcome{Answers: map[manifest.ID]live.Answer{foughtOver: {Accepted: live.Accepted{Digest: "d2"}, Version: 9}}}
	require.True(t, b.conclude(ctx, s.f, job{leg: l}, written, ctx.Err()))
	seen, _ := l.live.Get(foughtOver)
	require.True(t, seen.Digest == "d2" && seen.Intact)
	require.Zero(t, l.run, "of what is in force now, nothing is done")
}

func TestSharedInventories(t *testing.T) {
	kept := []string{"a", "b"}
	f := &federation{legs: map[string]*leg{"one": {}, "two": {}}}
	f.legs["one"].run.Inventory = kept
	f.legs["two"].run.Inventory = []string{}
	require.Same(t, &kept[0], &f.sharing([]string{"a", "b"})[0])
	other := []string{"a", "c"}
	require.Same(t, &other[0], &f.sharing(other)[0])
	require.Nil(t, f.sharing(nil), "none is not an empty one")
	require.NotNil(t, f.sharing([]string{}))
}
