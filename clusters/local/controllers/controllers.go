// Package controllers runs the workload controllers of kube-controller-manager and the kube-scheduler in this
// process, against any API server. They create the pods of a Deployment and assign them to nodes. They are for members
// in tests, benchmarks and the demo. It is a package of its own so that the accord binary never links it.
//
// Namespace deletion and garbage collection are not here: local.Start always runs them.
package controllers

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
)

// Options for the controllers of one cluster.
type Options struct {
	Log *slog.Logger // receives their output at debug level; nil = discard
}

// building serialises constructors, which register metrics and schemes that exist once per process.
var building sync.Mutex

// Start runs the controllers for deployments, replica sets, stateful sets, daemon sets, jobs, cron jobs,
// endpoints, endpoint slices and service accounts, and the scheduler, without leader election: one Start per
// cluster. It returns when all have their caches. The function returned ends them and waits.
//
// The context bounds the start only. Writes carry the field managers kube-controller-manager and
// kube-scheduler, as they do in any cluster.
func Start(ctx context.Context, cfg *rest.Config, o Options) (stop func(), err error) {
	life, cancel := context.WithCancel(klog.NewContext(context.Background(), logs.Quiet(o.Log, "controllers")))
	var running sync.WaitGroup
	stop = func() {
		cancel()
		running.Wait()
	}
	if err := startManager(ctx, life, cfg, &running); err != nil {
		stop()
		return nil, fmt.Errorf("starting controllers: %w", err)
	}
	if err := startScheduler(ctx, life, cfg, &running); err != nil {
		stop()
		return nil, fmt.Errorf("starting the scheduler: %w", err)
	}
	return stop, nil
}

// clientFor connects a component under its own name, which is also the manager of the fields it writes.
func clientFor(cfg *rest.Config, component string) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = component
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	cfg.QPS = -1 // no limit on this side
	return kubernetes.NewForConfig(cfg)
}

// readAll starts the informers and returns when they have read everything once.
func readAll(ctx, life context.Context, f informers.SharedInformerFactory) error {
	f.Start(life.Done())
	for kind, synced := range f.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("reading %v: %w", kind, context.Cause(ctx))
		}
	}
	return nil
}
