package replica

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

const (
	// inquirers bounds the clusters that are asked at once, and inquiryTime the time that one of them takes.
	inquirers   = 8
	inquiryTime = 30 * time.Second
)

// Inquirer asks the clusters of other replicas for the objects of Federations that have no record of the cluster, and want nothing there:
// no delivery asks such a cluster, and objects of an earlier Federation of the same name would stay. Only the leader asks.
type Inquirer struct {
	registry *state.Registry
	pool     *deliver.Pool
	log      *slog.Logger
	queue    retryqueue.Queue[string]
}

// NewInquirer returns an inquirer, which asks nothing before Run is called.
func NewInquirer(registry *state.Registry, pool *deliver.Pool, log *slog.Logger) *Inquirer {
	return &Inquirer{registry, pool, log, retryqueue.New[string](retryqueue.FirstRetry, retryqueue.LastRetry)}
}

// Run asks until ctx ends.
func (i *Inquirer) Run(ctx context.Context) {
	i.queue.Run(ctx, inquirers, i.ask, func(cluster string, err error) {
		i.log.Warn("cannot ask a cluster for its objects, trying again", "cluster", cluster, "error", err)
	})
}

// Answers has a cluster asked that answered a probe of the replica that owns it. It does not block.
func (i *Inquirer) Answers(cluster string) {
	if !i.registry.Follower() && !i.registry.HasAgent(cluster) && !i.registry.Owns(cluster) {
		i.queue.Add(cluster)
	}
}

// ask asks a cluster. It fails while the cluster is not reachable: the report of the owner that says that the cluster answers can come
// later than the probe, and a connection can fail once.
func (i *Inquirer) ask(ctx context.Context, cluster string) error {
	open := i.unrecorded(cluster)
	if len(open) == 0 || i.registry.Follower() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, inquiryTime)
	defer cancel()
	unreachable, err := i.pool.Ask(ctx, cluster, func(m *clusters.Member) error {
		var errs []error
		for _, f := range open {
			if _, err := deliver.Discover(ctx, f, m); err != nil {
				errs = append(errs, err)
			} else if f.Unplanned() {
				i.pool.Enqueue(changes.Changes{Replan: []types.NamespacedName{f.Key()}})
			}
		}
		return errors.Join(errs...)
	})
	if unreachable != "" {
		return errors.New(unreachable)
	}
	return err
}

// unrecorded returns the Federations that have no record of a cluster. One without a plan is among them: its first plan may be made
// without the cluster right now.
func (i *Inquirer) unrecorded(cluster string) (open []*state.Federation) {
	for _, f := range i.registry.Federations() {
		if f.Unrecorded(cluster) {
			open = append(open, f)
		}
	}
	return open
}
