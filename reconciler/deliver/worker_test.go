package deliver

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// TestDefectR7AWorkerEndsOnce: at SIGTERM, the pool closes every worker while the replica gives up its clusters. The
// process must not panic.
func TestDefectR7AWorkerEndsOnce(t *testing.T) {
	registry, log := state.NewRegistry(reachability.NewTracker()), slog.New(slog.DiscardHandler)
	pool := NewPool(registry, report.New(report.Options{Registry: registry, Log: log}), nil, log)
	pool.Connect(connected(t, "eu-1"))
	listed := pool.Worker("eu-1") // by Close, before the cluster is disconnected
	var both sync.WaitGroup
	both.Go(listed.close)
	both.Go(func() { pool.Disconnect("eu-1") })
	both.Wait()
	require.Empty(t, pool.Workers())
}

// TestReleaseWaitsForAWorkerThatEnds gives up a cluster while a probe disconnects it: the next owner must not begin before the last
// delivery of this one has ended.
func TestReleaseWaitsForAWorkerThatEnds(t *testing.T) {
	registry, log := state.NewRegistry(reachability.NewTracker()), slog.New(slog.DiscardHandler)
	pool := NewPool(registry, report.New(report.Options{Registry: registry, Log: log}), nil, log)
	defer pool.Close()
	for _, end := range []func(){func() { pool.Disconnect("eu-1") }, func() { pool.Connect(connected(t, "eu-1")) }} {
		pool.Connect(connected(t, "eu-1"))
		w, finish, finished := pool.Worker("eu-1"), make(chan struct{}), atomic.Bool{}
		w.done.Go(func() { <-finish; finished.Store(true) })
		var ended sync.WaitGroup
		ended.Go(end)
		require.Eventually(t, func() bool { return pool.Worker("eu-1") != w }, time.Minute, time.Millisecond)
		pool.AwaitRelease(func(cluster string) bool { return cluster != "us-1" }) // another cluster does not wait
		time.AfterFunc(50*time.Millisecond, func() { close(finish) })
		pool.AwaitRelease(func(cluster string) bool { return cluster != "eu-1" })
		require.True(t, finished.Load())
		ended.Wait()
		require.Empty(t, pool.ending)
	}
}

// TestADeletedFederationLeavesNoWatch: a delivery that began before its Federation was deleted opens its watch after that. A Federation of the
// same name that is declared later must list the objects itself.
func TestADeletedFederationLeavesNoWatch(t *testing.T) {
	registry, log := state.NewRegistry(reachability.NewTracker()), slog.New(slog.DiscardHandler)
	pool := NewPool(registry, report.New(report.Options{Registry: registry, Log: log}), nil, log)
	defer pool.Close()
	pool.Connect(connected(t, "eu-1"))
	w := pool.Worker("eu-1")
	declare := func() *state.Federation {
		f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, registry, nil)
		registry.Add(f)
		return f
	}
	old := declare()
	watched := w.watch(old)
	require.NotNil(t, watched)
	require.True(t, registry.Remove(old.Key()))
	pool.Forget(old.Key())
	require.Nil(t, w.watch(old))

	again := declare()
	require.Nil(t, w.watch(old))
	require.NotNil(t, w.watch(again))
	require.NotSame(t, watched, w.watch(again))
}

// connected returns a connection to a cluster that does not answer.
func connected(t *testing.T, name string) *clusters.Member {
	t.Helper()
	member, err := clusters.Connect(&rest.Config{Host: "https://127.0.0.1:1"}, name)
	require.NoError(t, err)
	return member
}
