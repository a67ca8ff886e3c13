package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/accord-dev/accord/reconciler/replica/lease"
)

// calm is a quick link to a new hub.
func calm(h *hub) *link {
	l := &link{hub: h}
	l.calm.Store(true)
	return l
}

func newHub() *hub { return &hub{leases: map[string]*coordinationv1.Lease{}} }

// TestHoldsEndsWithTheDeadline cuts off a replica that is busy letting go for a long time: it holds nothing from the deadline
// on, and Run returns only when letting go has ended.
func TestHoldsEndsWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := calm(newHub())
		o := optionsOf(l, 0)
		asked := make(chan time.Time, 10)
		o.LetGo = func(holds func(string) bool) {
			if !holds("c") {
				asked <- time.Now()
				time.Sleep(4 * time.Second)
			}
		}
		s := lease.New(o)
		over := make(chan error, 1)
		go func() { over <- s.Run(t.Context()) }()
		<-asked // before it holds anything
		time.Sleep(10 * time.Second)
		require.True(t, s.Holds("c"))

		l.cut.Store(true)
		cut := time.Now()
		for s.Holds("c") {
			time.Sleep(time.Millisecond)
		}
		require.InDelta(t, 9, time.Since(cut).Seconds(), 1.01, "the last renewal was sent at most a period before")
		require.WithinDuration(t, time.Now(), <-asked, 10*time.Millisecond)
		require.ErrorContains(t, <-over, "the lease accord-accord-0 could not be renewed for 10s")
		require.GreaterOrEqual(t, time.Since(cut), 12*time.Second)
		require.False(t, s.Holds("c"))
		time.Sleep(time.Minute)
	})
}

// TestLettingGoMayTakeLong lets a replica need longer than its Lease lasts to let go: it stays alive, keeps what is still its own,
// and the other takes nothing before.
func TestLettingGoMayTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		ctx, cancel := context.WithCancel(t.Context())
		run := func(i int, letGo func(func(string) bool)) (*lease.Shards, chan error) {
			o := optionsOf(calm(h), i)
			o.LetGo = letGo
			s := lease.New(o)
			over := make(chan error, 1)
			go func() { over <- s.Run(ctx) }()
			time.Sleep(5 * time.Second)
			return s, over
		}
		var slow atomic.Bool
		a, aOver := run(0, func(func(string) bool) {
			if slow.Load() {
				time.Sleep(40 * time.Second)
			}
		})
		slow.Store(true)
		b, bOver := run(1, func(func(string) bool) {})
		for range 34 {
			for _, c := range clusterNames(20) {
				require.Equal(t, a.Owner(c) == "accord-0", a.Holds(c))
				require.False(t, b.Holds(c))
			}
			time.Sleep(time.Second)
		}
		slow.Store(false)
		time.Sleep(10 * time.Second)
		for _, c := range clusterNames(20) {
			require.True(t, a.Holds(c) != b.Holds(c))
		}
		cancel()
		require.NoError(t, <-aOver)
		require.NoError(t, <-bOver)
	})
}

func TestRunRefuses(t *testing.T) {
	letGo := func(func(string) bool) {}
	cases := map[string]struct {
		change func(*lease.Options)
		says   string
	}{
		"no way to let go":               {func(o *lease.Options) { o.LetGo = nil }, "a way to let go"},
		"no leases":                      {func(o *lease.Options) { o.Leases = nil }, "needs leases"},
		"a deadline after the lease":     {func(o *lease.Options) { o.Deadline = 20 * time.Second }, "do not go together"},
		"a period close to the deadline": {func(o *lease.Options) { o.Period = 5 * time.Second }, "do not go together"},
		"no name":                        {func(o *lease.Options) { o.Name = "" }, "has to be the value of a label"},
		"no identity":                    {func(o *lease.Options) { o.Identity = "" }, "has to make the name of an object"},
		"an identity of other letters":   {func(o *lease.Options) { o.Identity = "Lena_1" }, "has to make the name of an object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := optionsOf(calm(newHub()), 0)
			o.LetGo = letGo
			c.change(&o)
			require.ErrorContains(t, lease.New(o).Run(t.Context()), c.says)
		})
	}
	t.Run("a second run", func(t *testing.T) {
		o := optionsOf(calm(newHub()), 0)
		o.LetGo = letGo
		s := lease.New(o)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, s.Run(ctx))
		require.ErrorContains(t, s.Run(ctx), "was run before")
	})
}
