package sync

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/livecluster"
	"github.com/accord-dev/accord/source"
)

// live reads a live cluster. A recorded revision, and one that a RecoveryPlan pins, has spec.ref of the source at its snapshot, see pin.
// Offline, accord must have kept it; otherwise the cluster may still have the same objects.
func (x Sources) live(ctx context.Context, fed *v1alpha1.Federation, s v1alpha1.Source, rules *tenancy.Rules, offline bool) (livecluster.Reading, error) {
	if s.Ref == nil {
		return x.Live.Snapshot(ctx, livecluster.Request{Federation: fed, Source: s, Rules: rules})
	}
	read := x.Live.Pin
	if offline {
		read = x.Live.At
	}
	kept, err := read(fed, s.Name, s.Ref.Commit)
	if err == nil || offline {
		return livecluster.Reading{Snapshot: kept}, err
	}
	if now, unread := x.Live.Snapshot(ctx, livecluster.Request{Federation: fed, Source: s, Rules: rules}); unread != nil {
		return livecluster.Reading{}, unread
	} else if now.Revision == s.Ref.Commit {
		return now, nil
	} else if now.Unread != nil {
		return livecluster.Reading{}, now.Unread
	}
	return livecluster.Reading{}, err
}

// pause ends the watches for a Federation that is suspended or refused.
func (x Sources) pause(federation types.NamespacedName) {
	x.Live.Close(federation)
	x.recent.forget(federation)
	x.plans.forget(federation)
}

// forget ends the watches for a Federation that is deleted, and removes its snapshots.
func (x Sources) forget(federation types.NamespacedName) {
	x.Live.Forget(federation)
	x.recent.forget(federation)
	x.plans.forget(federation)
}

// NewSources returns the sources of the controllers.
func NewSources(git *source.Cache, live *livecluster.Readers) Sources {
	return Sources{Git: git, Live: live, recent: newRecentReads(), plans: newRecoveries()}
}

// targets returns the clusters that may get objects of a Federation: none that is one of its sources, which accord only reads.
func targets(fed *v1alpha1.Federation, members []v1alpha1.Cluster) []v1alpha1.Cluster {
	isSource := func(c v1alpha1.Cluster) bool {
		return slices.ContainsFunc(fed.Spec.Sources, func(s v1alpha1.Source) bool { return s.Cluster != nil && s.Cluster.Name == c.Name })
	}
	if !slices.ContainsFunc(members, isSource) {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), isSource)
}

// repositoryInterval is the shortest time between two reads of the repositories of a Federation whose live clusters change: several
// snapshots a second must not be as many requests to a Git server.
const repositoryInterval = time.Second

// recentReads has the commits that were read last for the Federations with repositories and live clusters.
type recentReads struct {
	mu     sync.Mutex
	latest map[types.NamespacedName]recentRead
}

type recentRead struct {
	at        time.Time
	about     string // the version of the Federation and of its Tenant
	snapshots map[string]source.Snapshot
}

func newRecentReads() *recentReads {
	return &recentReads{latest: map[types.NamespacedName]recentRead{}}
}

// version identifies everything that decides which commits a read returns, beside the repositories.
func version(fed *v1alpha1.Federation, rules *tenancy.Rules) string {
	return fmt.Sprintf("%s %d %s %s", fed.UID, fed.Generation, requestedAt(fed), rules.ID())
}

// commits returns the commits that were read within repositoryInterval, and when they are to be read again; nil if they are now.
func (r *recentReads) commits(fed *v1alpha1.Federation, rules *tenancy.Rules, now time.Time) (map[string]source.Snapshot, time.Duration) {
	if r == nil {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.latest[client.ObjectKeyFromObject(fed)]
	wait := repositoryInterval - now.Sub(known.at)
	if wait <= 0 || known.about != version(fed, rules) {
		return nil, 0
	}
	return known.snapshots, wait
}

// keep records the commits of a checkout that read its repositories, for a Federation that has live clusters, too.
func (r *recentReads) keep(fed *v1alpha1.Federation, rules *tenancy.Rules, c Checkout, now time.Time) {
	read := recentRead{at: now, about: version(fed, rules), snapshots: map[string]source.Snapshot{}}
	for i, s := range c.sources {
		if s.Cluster == nil {
			read.snapshots[s.Name] = c.snapshots[i]
		}
	}
	if r == nil || len(read.snapshots) == 0 || len(read.snapshots) == len(c.sources) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest[client.ObjectKeyFromObject(fed)] = read
}

func (r *recentReads) forget(federation types.NamespacedName) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.latest, federation)
}
