package state

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

const (
	// LostGrace is how long a watch may be lost before its cluster counts as unreachable.
	LostGrace = 15 * time.Second
	// handoverGrace is how long the reachability of a cluster counts as unchanged after another replica took the cluster, or
	// after this replica began to lead: the new owner has to connect and probe first.
	handoverGrace = LostGrace
	// ProbeWriteInterval is how old lastProbeTime of a Cluster may get before it alone is worth a write.
	ProbeWriteInterval = time.Minute
	// staleProbe is how old the probe of another replica may be: while the cluster answers, the replica writes it again
	// every ProbeWriteInterval.
	staleProbe = 2*ProbeWriteInterval + handoverGrace
)

// NotProbed is why a cluster counts as unreachable before its first probe has finished.
const NotProbed = "not heard from yet"

// NotConnected is why a cluster counts as unreachable that no replica is connected to.
const NotConnected = "not connected"

// Ownership says which replica executes a cluster. Sole is the ownership of a replica that is alone; package lease has
// the other.
type Ownership interface {
	// Holds reports whether this replica may write to the cluster now.
	Holds(cluster string) bool
	// Owner returns the replica that may, or is about to; empty if none is known.
	Owner(cluster string) string
}

// Sole is the Ownership of the only replica.
type Sole struct{}

// Holds returns true.
func (Sole) Holds(string) bool { return true }

// Owner returns the empty name of the only replica.
func (Sole) Owner(string) string { return "" }

// Reachability says whether the API server of a cluster answers.
type Reachability struct {
	// Unreachable is why it does not answer; empty if it does.
	Unreachable string
	// LastProbe is when it answered last; zero if it never did.
	LastProbe time.Time
	// Silence classifies Unreachable, and carries the state of the breaker.
	Silence status.Outage
}

// Probe is the status of a Cluster as the replica that owns it wrote it: all that is known of a cluster on which
// nothing was delivered yet.
type Probe struct {
	// Known is false before the first probe. Failure is empty if the cluster answered.
	Known   bool
	Failure string
	At      time.Time
}

// remoteReachability is a cluster's reachability as last reported by the replica that owns it.
type remoteReachability struct {
	replica string
	reach   v1alpha1.Connectivity
	at      time.Time
}

// Registry holds the Federations of the process, the reachability of the clusters, and the part of this replica in the
// work. Deliver and member write the reachability of connected clusters, replica that of all others.
type Registry struct {
	replica   string
	ownership Ownership
	shared    bool // several replicas share the clusters

	mu          sync.Mutex
	federations map[types.NamespacedName]*Federation
	connected   map[string]Reachability
	remote      map[string]remoteReachability
	probes      map[string]Probe
	follower    bool
	// handedOver is when the ownership of clusters changed last, or this replica began to lead.
	handedOver   time.Time
	roomRequired bool
}

// NewRegistry returns the registry of a replica that is alone: it leads and owns every cluster.
func NewRegistry() *Registry {
	return &Registry{
		ownership: Sole{}, federations: map[types.NamespacedName]*Federation{},
		connected: map[string]Reachability{}, remote: map[string]remoteReachability{}, probes: map[string]Probe{},
	}
}

// NewSharedRegistry returns the registry of one of several replicas. It follows until Lead is called.
func NewSharedRegistry(replica string, ownership Ownership) *Registry {
	r := NewRegistry()
	r.replica, r.ownership, r.shared, r.follower = replica, ownership, true, true
	return r
}

// Replica returns the name of this replica; empty if it is alone.
func (r *Registry) Replica() string { return r.replica }

// Shared reports whether several replicas share the clusters.
func (r *Registry) Shared() bool { return r.shared }

// Owns reports whether this replica may write to the cluster now.
func (r *Registry) Owns(cluster string) bool { return r.ownership.Holds(cluster) }

// Follower reports whether another replica leads, or none.
func (r *Registry) Follower() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.follower
}

// Lead makes this replica the leader. It returns the Federations that it followed, which the caller removes: the leader
// starts from the records on the hub, as after a restart. It returns none if the replica led already.
func (r *Registry) Lead(now time.Time) []*Federation {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.follower {
		return nil
	}
	r.follower, r.handedOver = false, now
	return slices.Collect(maps.Values(r.federations))
}

// HandOver records that clusters change their owner.
func (r *Registry) HandOver(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handedOver = now
}

// HandoverRemaining returns how long clusters may still be on their way between replicas; zero or less if they are not.
func (r *Registry) HandoverRemaining(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handoverRemaining(now)
}

func (r *Registry) handoverRemaining(now time.Time) time.Duration {
	if !r.shared {
		return 0
	}
	return handoverGrace - now.Sub(r.handedOver)
}

// RequireRoom records that a plan of the leader depends on the free resources of the clusters.
func (r *Registry) RequireRoom() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.roomRequired = true
}

// RoomRequired reports whether RequireRoom was called.
func (r *Registry) RoomRequired() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.roomRequired
}

// NeedsRoom reports whether the active plan of any Federation depends on the free resources of the clusters.
func (r *Registry) NeedsRoom() bool {
	return slices.ContainsFunc(r.Federations(), func(f *Federation) bool { return f.View().Room })
}

// Federation returns a Federation; nil if it is unknown.
func (r *Registry) Federation(key types.NamespacedName) *Federation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.federations[key]
}

// Federations returns all Federations, in no order.
func (r *Registry) Federations() []*Federation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.federations))
}

// Add makes a Federation known.
func (r *Registry) Add(f *Federation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.federations[f.key] = f
}

// Remove forgets a Federation and cancels its deliveries. It returns false if the Federation is unknown.
func (r *Registry) Remove(key types.NamespacedName) bool {
	r.mu.Lock()
	f := r.federations[key]
	delete(r.federations, key)
	r.mu.Unlock()
	if f == nil {
		return false
	}
	f.end()
	return true
}

// SetReachability records the reachability of a connected cluster.
func (r *Registry) SetReachability(cluster string, to Reachability) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected[cluster] = to
}

// Disconnect forgets the reachability of a cluster that this process is not connected to any more.
func (r *Registry) Disconnect(cluster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.connected, cluster)
}

// Connected reports whether this process is connected to a cluster.
func (r *Registry) Connected(cluster string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, connected := r.connected[cluster]
	return connected
}

// RecordProbe records the status of a Cluster as the replica that owns it wrote it.
func (r *Registry) RecordProbe(cluster string, p Probe) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probes[cluster] = p
}

// Reachability returns the reachability of a cluster: as this process found it if it is connected, otherwise as the
// replica that owns the cluster reported it last.
func (r *Registry) Reachability(cluster string, now time.Time) Reachability {
	owner := ""
	if r.shared {
		owner = r.ownership.Owner(cluster)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if own, connected := r.connected[cluster]; connected {
		return own
	}
	if !r.shared {
		return Reachability{Unreachable: NotConnected}
	}
	remote, known := r.reported(cluster, owner, now)
	if !known {
		reach := r.asProbed(cluster, now)
		reach.Silence = silenceOf(remote.reach)
		return reach
	}
	reach := Reachability{Unreachable: remote.reach.Unreachable, Silence: silenceOf(remote.reach)}
	switch {
	case reach.Unreachable == "":
		reach.LastProbe = remote.at
	case remote.reach.LastProbeTime != nil:
		reach.LastProbe = remote.reach.LastProbeTime.Time
	}
	return reach
}

// reported returns the last report of a cluster. known is false if no report counts: during a hand-over the report of
// the previous owner does.
func (r *Registry) reported(cluster, owner string, now time.Time) (remote remoteReachability, known bool) {
	remote, known = r.remote[cluster]
	return remote, known && (r.handoverRemaining(now) > 0 || remote.replica == owner)
}

// asProbed returns the reachability of a cluster on which nothing was delivered yet.
func (r *Registry) asProbed(cluster string, now time.Time) Reachability {
	p := r.probes[cluster]
	if !p.Known || now.Sub(p.At) > staleProbe {
		return Reachability{Unreachable: NotProbed}
	}
	return Reachability{Unreachable: p.Failure, LastProbe: p.At}
}

func silenceOf(reach v1alpha1.Connectivity) status.Outage {
	s := status.Outage{Reason: reach.Reason}
	if reach.OpenSince != nil && reach.Retry != nil {
		s.Since, s.Retry = reach.OpenSince.Time, reach.Retry.Duration
	}
	return s
}

// MergeReachability records the reachability that another replica reports. It reports whether that is news.
func (r *Registry) MergeReachability(cluster, replica string, reach v1alpha1.Connectivity, now time.Time) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.remote[cluster]
	r.remote[cluster] = remoteReachability{replica, reach, now}
	return !known || before.replica != replica || before.reach.Unreachable != reach.Unreachable
}

// Accepts reports whether the report of a replica about a cluster counts: the leader takes reports of the owner of a
// cluster that it is not connected to itself.
func (r *Registry) Accepts(cluster, replica string) bool {
	return r.shared && !r.Follower() && !r.Connected(cluster) && replica != r.replica && r.ownership.Owner(cluster) == replica
}

// ReportExpected returns how long the first report about a cluster may still take; zero if none is expected.
func (r *Registry) ReportExpected(cluster string, now time.Time) time.Duration {
	if !r.shared {
		return 0
	}
	owner := r.ownership.Owner(cluster)
	r.mu.Lock()
	defer r.mu.Unlock()
	remaining := r.handoverRemaining(now)
	if _, connected := r.connected[cluster]; remaining <= 0 || connected {
		return 0
	}
	if _, known := r.reported(cluster, owner, now); known {
		return 0
	}
	return remaining
}
