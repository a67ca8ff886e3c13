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

// TestOwnershipEndsWithTheDeadline cuts off a replica whose Release takes long: it owns nothing from the deadline on, and Run
// returns only after Release.
func TestOwnershipEndsWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := calm(newHub())
		o := optionsOf(l, 0)
		asked := make(chan time.Time, 10)
		o.Release = func(owns func(string) bool) {
			if !owns("c") {
				asked <- time.Now()
				time.Sleep(4 * time.Second)
			}
		}
		s := lease.New(o)
		over := make(chan error, 1)
		go func() { over <- s.Run(t.Context()) }()
		<-asked // before it owns a cluster
		time.Sleep(10 * time.Second)
		require.True(t, s.Owns("c"))

		l.cut.Store(true)
		cut := time.Now()
		for s.Owns("c") {
			time.Sleep(time.Millisecond)
		}
		require.InDelta(t, 9, time.Since(cut).Seconds(), 1.01, "the last renewal was sent at most a period before")
		require.WithinDuration(t, time.Now(), <-asked, 10*time.Millisecond)
		require.ErrorContains(t, <-over, "the lease accord-accord-0 could not be renewed for 10s")
		require.GreaterOrEqual(t, time.Since(cut), 12*time.Second)
		require.False(t, s.Owns("c"))
		time.Sleep(time.Minute)
	})
}

// TestReleaseMayTakeLong has Release take longer than the duration of the Lease: the replica stays alive and keeps its other
// clusters, and the other replica takes over nothing before.
func TestReleaseMayTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		ctx, cancel := context.WithCancel(t.Context())
		run := func(i int, release func(func(string) bool)) (*lease.Ownership, chan error) {
			o := optionsOf(calm(h), i)
			o.Release = release
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
				require.Equal(t, a.Owner(c) == "accord-0", a.Owns(c))
				require.False(t, b.Owns(c))
			}
			time.Sleep(time.Second)
		}
		slow.Store(false)
		time.Sleep(10 * time.Second)
		for _, c := range clusterNames(20) {
			require.True(t, a.Owns(c) != b.Owns(c))
		}
		cancel()
		require.NoError(t, <-aOver)
		require.NoError(t, <-bOver)
	})
}

func TestRunRefuses(t *testing.T) {
	release := func(func(string) bool) {}
	cases := map[string]struct {
		change func(*lease.Options)
		err    string
	}{
		"no Release":                     {func(o *lease.Options) { o.Release = nil }, "Options.Release are required"},
		"no leases":                      {func(o *lease.Options) { o.Leases = nil }, "Options.Leases and"},
		"a deadline after the lease":     {func(o *lease.Options) { o.Deadline = 20 * time.Second }, "contradict each other"},
		"a period close to the deadline": {func(o *lease.Options) { o.Period = 5 * time.Second }, "contradict each other"},
		"no name":                        {func(o *lease.Options) { o.Name = "" }, "must be a label value"},
		"no identity":                    {func(o *lease.Options) { o.Identity = "" }, "must be part of an object name"},
		"an identity of other letters":   {func(o *lease.Options) { o.Identity = "Lena_1" }, "must be part of an object name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := optionsOf(calm(newHub()), 0)
			o.Release = release
			c.change(&o)
			require.ErrorContains(t, lease.New(o).Run(t.Context()), c.err)
		})
	}
	t.Run("a second run", func(t *testing.T) {
		o := optionsOf(calm(newHub()), 0)
		o.Release = release
		s := lease.New(o)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, s.Run(ctx))
		require.ErrorContains(t, s.Run(ctx), "was called before")
	})
}
