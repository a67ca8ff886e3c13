package sync

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/recovery"
	"github.com/accord-dev/accord/source"
)

// buildPlans returns the manifests of the repositories of a Federation.
type buildPlans func(ctx context.Context, repositories Checkout) (decode.Parts, error)

// recoveries has the RecoveryPlans of the Federations with repositories and live clusters. They are read before the live clusters are:
// a standby takes over from a cluster that does not answer.
type recoveries struct {
	mu     sync.Mutex
	latest map[types.NamespacedName]recoveryRead
}

// recoveryRead is the RecoveryPlans in some trees.
type recoveryRead struct {
	trees string
	plans []policy.Recovery
}

func newRecoveries() *recoveries { return &recoveries{latest: map[types.NamespacedName]recoveryRead{}} }

// of returns the RecoveryPlans in the repositories of a Federation. Repositories with mistakes change none: their commit is refused later.
func (r *recoveries) of(ctx context.Context, federation types.NamespacedName, repositories Checkout, build buildPlans) ([]policy.Recovery, error) {
	trees := repositories.trees()
	r.mu.Lock()
	known, is := r.latest[federation]
	r.mu.Unlock()
	if is && known.trees == trees {
		return known.plans, nil
	}
	parts, err := build(ctx, repositories)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return known.plans, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest[federation] = recoveryRead{trees, parts.Recoveries}
	return parts.Recoveries, nil
}

func (r *recoveries) forget(federation types.NamespacedName) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.latest, federation)
}

// pins returns the revisions at which RecoveryPlans pin live clusters, by the name of the source. repositories has a snapshot of every
// repository.
func (x Sources) pins(ctx context.Context, fed *v1alpha1.Federation, repositories map[string]source.Snapshot) (map[string]string, error) {
	if x.plans == nil || x.build == nil || len(repositories) == 0 || len(repositories) == len(fed.Spec.Sources) {
		return nil, nil
	}
	c := Checkout{partial: true}
	for _, s := range fed.Spec.Sources {
		if snap, is := repositories[s.Name]; is {
			c.sources, c.snapshots = append(c.sources, s), append(c.snapshots, snap)
		}
	}
	plans, err := x.plans.of(ctx, client.ObjectKeyFromObject(fed), c, x.build)
	if err != nil {
		return nil, err
	}
	pinned := map[string]string{}
	for _, s := range fed.Spec.Sources {
		if revision := recovery.Pinned(plans, s.Name); s.Cluster != nil && revision != "" {
			pinned[s.Name] = revision
		}
	}
	return pinned, nil
}

// liveSources returns the names of the sources that are live clusters.
func liveSources(fed *v1alpha1.Federation) (names []string) {
	for _, s := range fed.Spec.Sources {
		if s.Cluster != nil {
			names = append(names, s.Name)
		}
	}
	return names
}
