// Package manager returns controller-runtime's manager for the loops of a process.
package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// firstRetry and lastRetry bound the back-off of a failed reconciliation.
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// Options of a manager.
type Options struct {
	Metrics server.Options
	// HealthAddress serves /healthz and /readyz; empty: it is off.
	HealthAddress string
	// LeaderElection elects a leader by the Lease LeaseName in Namespace.
	LeaderElection       bool
	LeaseName, Namespace string
	// ByObject configures the cache of single kinds.
	ByObject map[client.Object]cache.ByObject
	Log      logr.Logger
}

// New returns a manager with a cache of the kinds that the loops read.
func New(cfg *rest.Config, o Options) (ctrl.Manager, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1 // the hub's own fairness decides; below, "0" is no address
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme,
		Logger:                        o.Log,
		Metrics:                       o.Metrics,
		HealthProbeBindAddress:        cmp.Or(o.HealthAddress, "0"),
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              o.LeaseName,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		MapperProvider:                newMapper,
		Cache:                         cache.Options{ByObject: o.ByObject},
	})
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping))
}

// Scheme returns the kinds of accord and of Kubernetes.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), v1alpha1.AddToScheme(s))
}

// Workers returns the options of a controller with n workers.
func Workers(n int) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: n, SkipNameValidation: ptr.To(true),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
	}
}

// Leading is a loop of the leader.
type Leading = manager.RunnableFunc

// Always is a loop of every replica, whether or not it leads.
type Always func(ctx context.Context) error

// Start implements manager.Runnable.
func (a Always) Start(ctx context.Context) error { return a(ctx) }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (Always) NeedLeaderElection() bool { return false }
