package deliver

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

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
	member, err := clusters.Connect(&rest.Config{Host: "https://127.0.0.1:1"}, "eu-1")
	require.NoError(t, err)
	pool.Connect(member)
	listed := pool.Worker("eu-1") // by Close, before the cluster is disconnected
	var both sync.WaitGroup
	both.Go(listed.close)
	both.Go(func() { pool.Disconnect("eu-1") })
	both.Wait()
	require.Empty(t, pool.Workers())
}
