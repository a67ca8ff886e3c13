package replica_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/replica"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// TestAnInquiryIsRepeated has a cluster asked of which the owner reports later than the probe that it answers, and to which the first
// connection fails. Nothing else would have it asked again: the probes after this one change no Cluster.
func TestAnInquiryIsRepeated(t *testing.T) {
	tracker := reachability.NewSharedTracker("first", ownedBy("second"))
	registry, log := state.NewRegistry(tracker), slog.New(slog.DiscardHandler)
	registry.Add(state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, registry, nil))
	pool := deliver.NewPool(registry, report.New(report.Options{Registry: registry, Log: log}), nil, log)
	defer pool.Close()
	synctest.Test(t, func(t *testing.T) {
		registry.Lead(time.Now())
		time.Sleep(time.Minute) // no cluster is on its way between replicas any more
		var visits []time.Duration
		began := time.Now()
		pool.OnVisit(func(context.Context, string) (*clusters.Member, error) {
			visits = append(visits, time.Since(began))
			return nil, errors.New("connection refused")
		})
		inquirer := replica.NewInquirer(registry, pool, log)
		ctx, cancel := context.WithCancel(t.Context())
		go inquirer.Run(ctx)

		tracker.MergeReachability("eu-1", "second", v1alpha1.Connectivity{Unreachable: "no route"}, time.Now())
		inquirer.Answers("eu-1")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Empty(t, visits, "the owner reports that the cluster does not answer")

		tracker.MergeReachability("eu-1", "second", v1alpha1.Connectivity{}, time.Now())
		time.Sleep(time.Minute)
		synctest.Wait()
		require.GreaterOrEqual(t, len(visits), 2, "%v", visits)
		cancel()
		synctest.Wait()
	})
}

// ownedBy is the replica that owns every cluster.
type ownedBy string

func (o ownedBy) Owns(string) bool    { return false }
func (o ownedBy) Owner(string) string { return string(o) }
