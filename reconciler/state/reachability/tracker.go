// Package reachability tracks whether the API servers of the clusters answer, and which replica executes each cluster.
package reachability

import (
	"cmp"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

const (
	// LostGrace is the time after which a cluster with a lost watch counts as unreachable.
	LostGrace = 15 * time.Second
	// handoverGrace is the time for which the reachability of a cluster counts as unchanged after another replica took the
	// cluster, or after this replica began to lead: the new owner has to connect and probe first.
	handoverGrace = LostGrace
	// ProbeWriteInterval is the age of lastProbeTime of a Cluster from which a newer probe alone is worth a write.
	ProbeWriteInterval = time.Minute
	// AgentProbeWriteInterval is the same for an agent, whose requests show that it lives. A write takes the hub about as much CPU time as these
	// requests in a minute.
	AgentProbeWriteInterval = 15 * time.Minute
	// StaleProbe is the greatest age of the probe of another replica: while the cluster answers, that replica writes its probe
	// every ProbeWriteInterval.
	StaleProbe = 2*ProbeWriteInterval + handoverGrace
	// AgentLease is the time for which an agent counts as alive after it was heard (Karmada 5.2), if it does not request another one from
	// shortestLease to longestLease.
	AgentLease    = 40 * time.Second
	shortestLease = 2 * time.Second
	longestLease  = 10 * time.Minute
)

// NotProbed is the reason of a cluster that is unreachable before its first probe has finished.
const NotProbed = "not heard from yet"

// NotConnected is the reason of a cluster that is unreachable because no replica is connected to it.
const NotConnected = "not connected"

// AgentSilent is the reason of a cluster in pull mode that is unreachable because its agent reports nothing any more.
const AgentSilent = "its agent reports nothing any more"

// Ownership reports which replica executes a cluster. Sole is for a single replica, lease.Ownership for several.
type Ownership interface {
	// Owns reports whether this replica may write to the cluster now.
	Owns(cluster string) bool
	// Owner returns the replica that may, or is about to; empty if none is known.
	Owner(cluster string) string
}

// Sole is the Ownership of the only replica.
type Sole struct{}

// Owns returns true.
func (Sole) Owns(string) bool { return true }

// Owner returns the empty name of the only replica.
func (Sole) Owner(string) string { return "" }

// State is the reachability of the API server of a cluster.
type State struct {
	// Unreachable is the reason why the API server does not answer; empty if it does.
	Unreachable string
	// LastProbe is the time of its last answer; zero if there was none.
	LastProbe time.Time
	// Silence classifies Unreachable, and carries the state of the breaker.
	Silence status.Outage
}

// Lost reports whether the cluster stopped answering. A cluster that was not probed yet, or that no replica is connected to, is not lost.
func (s State) Lost() bool {
	return s.Unreachable != "" && s.Unreachable != NotProbed && s.Unreachable != NotConnected
}

// Connectivity returns the reachability as a DeliveryReport carries it.
func (s State) Connectivity() v1alpha1.Connectivity {
	r := v1alpha1.Connectivity{Unreachable: s.Unreachable}
	if s.Unreachable == "" {
		return r
	}
	if !s.LastProbe.IsZero() {
		r.LastProbeTime = seconds(s.LastProbe)
	}
	r.Reason = s.Silence.Reason
	if !s.Silence.Since.IsZero() {
		r.OpenSince = seconds(s.Silence.Since)
		r.Retry = &metav1.Duration{Duration: s.Silence.Retry}
	}
	return r
}

func seconds(t time.Time) *metav1.Time { return &metav1.Time{Time: t.UTC().Truncate(time.Second)} }

// Probe is the status of a Cluster as the replica that owns it wrote it: all that is known of a cluster on which
// nothing was delivered yet.
type Probe struct {
	// Known is false before the first probe. Failure is empty if the cluster answered.
	Known   bool
	Failure string
	At      time.Time
}

// remoteState is a cluster's reachability as last reported by the replica that owns it.
type remoteState struct {
	replica string
	reach   v1alpha1.Connectivity
	at      time.Time
}

// Tracker holds the reachability of every cluster, and the part of this replica in the work. Deliver and member record
// the reachability of connected clusters, replica that of all others.
type Tracker struct {
	replica   string
	ownership Ownership
	shared    bool // several replicas share the clusters

	mu        sync.Mutex
	connected map[string]State
	remote    map[string]remoteState
	probes    map[string]Probe
	agents    map[string]beat // of the clusters in pull mode
	follower  bool
	// handedOver is the time at which the ownership of clusters changed last, or this replica began to lead.
	handedOver time.Time
}

// NewTracker returns the tracker of a replica that is alone: it leads and owns every cluster.
func NewTracker() *Tracker {
	return &Tracker{
		ownership: Sole{}, connected: map[string]State{}, remote: map[string]remoteState{}, probes: map[string]Probe{}, agents: map[string]beat{},
	}
}

// NewSharedTracker returns the tracker of one of several replicas. It follows until Lead is called.
func NewSharedTracker(replica string, ownership Ownership) *Tracker {
	t := NewTracker()
	t.replica, t.ownership, t.shared, t.follower = replica, ownership, true, true
	return t
}

// Lead makes this replica the leader. It returns false if the replica led already.
func (t *Tracker) Lead(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.follower {
		return false
	}
	t.follower, t.handedOver = false, now
	return true
}

// Replica returns the name of this replica; empty if it is alone.
func (t *Tracker) Replica() string { return t.replica }

// Shared reports whether several replicas share the clusters.
func (t *Tracker) Shared() bool { return t.shared }

// Owns reports whether this replica may write to the cluster now.
func (t *Tracker) Owns(cluster string) bool { return !t.HasAgent(cluster) && t.ownership.Owns(cluster) }

// SetAgent records whether a cluster is in pull mode: then its agent owns it, and no replica does.
func (t *Tracker) SetAgent(cluster string, pulls bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.agents[cluster]; pulls && !known {
		t.agents[cluster] = beat{}
	} else if !pulls {
		delete(t.agents, cluster)
	}
}

// beat is the last sign of life of an agent.
type beat struct {
	at    time.Time
	lasts time.Duration // from at
}

// RecordBeat records a request of the agent of a cluster, and the time for which the agent counts as alive after it; zero: AgentLease. It
// reports whether the agent was silent before.
func (t *Tracker) RecordBeat(cluster string, lasts time.Duration, now time.Time) (wasSilent bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, pulls := t.agents[cluster]; !pulls {
		return false
	}
	wasSilent = t.agentSilent(cluster, now)
	t.agents[cluster] = beat{now, min(max(cmp.Or(lasts, AgentLease), shortestLease), longestLease)}
	return wasSilent
}

// ExpectBeat has an agent that this process never heard count as alive for a while: what it reported to another process counts, until it
// had the time to find this one.
func (t *Tracker) ExpectBeat(cluster string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b, pulls := t.agents[cluster]; pulls && b.at.IsZero() {
		t.agents[cluster] = beat{now, AgentLease}
	}
}

// AgentLease returns the time for which the agent of a cluster counts as alive after it was heard.
func (t *Tracker) AgentLease(cluster string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(t.agents[cluster].lasts, AgentLease)
}

// agentSilent reports whether the agent of a cluster is not heard any more. The caller has the lock.
func (t *Tracker) agentSilent(cluster string, now time.Time) bool {
	b, pulls := t.agents[cluster]
	return pulls && now.Sub(b.at) > b.lasts
}

// HasAgent reports whether a cluster is in pull mode.
func (t *Tracker) HasAgent(cluster string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, pulls := t.agents[cluster]
	return pulls
}

// Agent returns the name of the agent of a cluster, which it reports as a replica. No replica has this name: it has a colon.
func Agent(cluster string) string { return "agent:" + cluster }

// owner returns the replica or the agent that owns a cluster; empty if none is known. remote is false if no other process can own it.
func (t *Tracker) owner(cluster string) (owner string, remote bool) {
	switch {
	case t.HasAgent(cluster):
		return Agent(cluster), true
	case t.shared:
		return t.ownership.Owner(cluster), true
	}
	return "", false
}

// Follower reports whether another replica leads, or none.
func (t *Tracker) Follower() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.follower
}

// HandOver records that clusters change their owner.
func (t *Tracker) HandOver(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.handedOver = now
}

// HandoverRemaining returns how long clusters may still be on their way between replicas; zero or less if they are not.
func (t *Tracker) HandoverRemaining(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.handoverRemaining(now)
}

func (t *Tracker) handoverRemaining(now time.Time) time.Duration {
	if !t.shared {
		return 0
	}
	return handoverGrace - now.Sub(t.handedOver)
}

// SetReachability records the reachability of a connected cluster.
func (t *Tracker) SetReachability(cluster string, to State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connected[cluster] = to
}

// Disconnect forgets the reachability of a cluster that this process is not connected to any more.
func (t *Tracker) Disconnect(cluster string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.connected, cluster)
}

// Connected reports whether this process is connected to a cluster.
func (t *Tracker) Connected(cluster string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, connected := t.connected[cluster]
	return connected
}

// RecordProbe records the status of a Cluster as the replica that owns it wrote it.
func (t *Tracker) RecordProbe(cluster string, p Probe) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.probes[cluster] = p
}

// Reachability returns the reachability of a cluster: as this process found it if it is connected, otherwise as the
// replica that owns the cluster reported it last.
func (t *Tracker) Reachability(cluster string, now time.Time) State {
	owner, isRemote := t.owner(cluster)
	t.mu.Lock()
	defer t.mu.Unlock()
	if own, connected := t.connected[cluster]; connected {
		return own
	}
	if !isRemote {
		return State{Unreachable: NotConnected}
	}
	if t.agentSilent(cluster, now) {
		return State{Unreachable: AgentSilent, LastProbe: t.probes[cluster].At}
	}
	remote, known := t.reported(cluster, owner, now)
	if !known {
		reach := t.asProbed(cluster, now)
		reach.Silence = silenceOf(remote.reach)
		return reach
	}
	reach := State{Unreachable: remote.reach.Unreachable, Silence: silenceOf(remote.reach)}
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
func (t *Tracker) reported(cluster, owner string, now time.Time) (remote remoteState, known bool) {
	remote, known = t.remote[cluster]
	return remote, known && (t.handoverRemaining(now) > 0 || remote.replica == owner)
}

// asProbed returns the reachability of a cluster on which nothing was delivered yet. The last probe of an agent counts as long as the agent
// is heard.
func (t *Tracker) asProbed(cluster string, now time.Time) State {
	_, pulls := t.agents[cluster]
	p := t.probes[cluster]
	if !p.Known || !pulls && now.Sub(p.At) > StaleProbe {
		return State{Unreachable: NotProbed}
	}
	return State{Unreachable: p.Failure, LastProbe: p.At}
}

// MergeReachability records the reachability that another replica reports. It reports whether that is news.
func (t *Tracker) MergeReachability(cluster, replica string, reach v1alpha1.Connectivity, now time.Time) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, known := t.remote[cluster]
	t.remote[cluster] = remoteState{replica, reach, now}
	return !known || before.replica != replica || before.reach.Unreachable != reach.Unreachable
}

// Accepts reports whether the report of a replica about a cluster counts: the leader takes reports of the owner of a
// cluster that it is not connected to itself.
func (t *Tracker) Accepts(cluster, replica string) bool {
	owner, remote := t.owner(cluster)
	return remote && !t.Follower() && !t.Connected(cluster) && replica != t.replica && owner == replica
}

// ReportExpected returns how long the first report about a cluster may still take; zero if none is expected.
func (t *Tracker) ReportExpected(cluster string, now time.Time) time.Duration {
	owner, remote := t.owner(cluster)
	if !remote {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	remaining := t.handoverRemaining(now)
	if _, connected := t.connected[cluster]; remaining <= 0 || connected {
		return 0
	}
	if _, known := t.reported(cluster, owner, now); known {
		return 0
	}
	return remaining
}

func silenceOf(reach v1alpha1.Connectivity) status.Outage {
	s := status.Outage{Reason: reach.Reason}
	if reach.OpenSince != nil && reach.Retry != nil {
		s.Since, s.Retry = reach.OpenSince.Time, reach.Retry.Duration
	}
	return s
}

// ProbeOf returns the last probe that the owner of a cluster wrote into its status.
func ProbeOf(c *v1alpha1.Cluster) Probe {
	ready := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition)
	if ready == nil || ready.Status == metav1.ConditionUnknown || c.Status.LastProbeTime == nil {
		return Probe{}
	}
	p := Probe{Known: true, At: c.Status.LastProbeTime.Time}
	if ready.Status == metav1.ConditionFalse {
		p.Failure = ready.Message
	}
	return p
}
