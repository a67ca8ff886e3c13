package reconciler

import (
	"context"
	"errors"
	"log/slog"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/accord-dev/accord/reconciler/manager"
	"github.com/accord-dev/accord/reconciler/replica"
	"github.com/accord-dev/accord/reconciler/replica/lease"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/trigger"
)

// shared is the part of this replica where several share the clusters.
type shared struct {
	registry  *state.Registry
	ownership *lease.Ownership
	follower  *replica.Follower
	// changed has a value when this replica owns other clusters than before, or leads.
	changed     chan struct{}
	assignments *trigger.Trigger
	// release ends the work for clusters that this replica does not own any more.
	release func(owns func(cluster string) bool)
}

// newShared returns the part of this replica. It follows until it is elected.
func newShared(cfg *rest.Config, o Options, log *slog.Logger) (*shared, error) {
	if !o.LeaderElection {
		return nil, errors.New("replicas that share clusters need leader election: one of them leads")
	}
	leases, err := coordinationclient.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	name, err := replica.Name(o.Replica)
	if err != nil {
		return nil, err
	}
	s := &shared{changed: make(chan struct{}, 1), assignments: &trigger.Trigger{}}
	s.ownership = lease.New(lease.Options{
		Leases: leases.Leases(o.Namespace), Name: leaseName, Identity: name, Log: log,
		Release: func(owns func(cluster string) bool) { s.release(owns) },
		Changed: s.handOver,
	})
	s.registry = state.NewRegistry(reachability.NewSharedTracker(name, s.ownership))
	return s, nil
}

// handOver has all clusters probed and all assignments executed again.
func (s *shared) handOver() {
	select {
	case s.changed <- struct{}{}:
	default: // it is known already
	}
}

// addTo has the manager run the loops of a shared replica; none where one replica owns every cluster.
func (s *shared) addTo(mgr ctrl.Manager, c *controllers) error {
	if s == nil {
		return nil
	}
	s.release = c.member.Release
	return errors.Join(
		mgr.Add(manager.Always(s.ownership.Run)),
		mgr.Add(manager.Always(func(ctx context.Context) error {
			s.follower.HandOver(ctx, s.changed, c.probes.Cluster, s.assignments.Federation)
			return nil
		})),
		replica.WatchProbes(mgr, c.registry, replica.NewInquirer(c.registry, c.pool, s.follower.Log), manager.Workers(syncWorkers)),
		s.follower.Start(mgr, manager.Workers(syncWorkers), ctrlsource.Func(s.assignments.Start), ctrlsource.Func(c.replans.Start)),
	)
}
