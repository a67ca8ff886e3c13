package lease

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// Options configure a replica. Leases, Name, Identity and Release are required.
type Options struct {
	// Leases are those of accord's namespace. Required verbs: create, delete, get, list, update.
	Leases coordinationclient.LeaseInterface
	// Name is the prefix of the names of the Leases and the value of their label. Replicas with one Name share the clusters.
	Name string
	// Identity of this replica, unique among those of Name, for example the name of its pod. Name-Identity has to be the name
	// of an object (an RFC 1123 subdomain).
	Identity string

	Duration time.Duration // without a renewal for this time a replica is dead to the others; 0: 15 s
	Deadline time.Duration // without a renewal for this time it owns no cluster; below Duration; 0: 10 s
	Period   time.Duration // between two renewals; below half of Deadline; 0: 2 s

	// Release returns once no write is under way to a cluster that owns is false for, and none can begin. It is called after
	// Owns returns false. If the deadline passes before Release returned, Release is called a second time, with fewer
	// clusters. It then has to return within Duration - Deadline, because other replicas write after that.
	Release func(owns func(cluster string) bool)
	// Changed is called when the results of Owns, Owner or Replicas may have changed. It must not block, and may be nil.
	Changed func()
	// Log may be nil.
	Log *slog.Logger
}

// Ownership is the part of one replica in the division of the clusters. Run changes it; all other methods may be called at any
// time from any goroutine.
type Ownership struct {
	o    Options
	self member

	claim   atomic.Pointer[claim]     // nil before the first list and after Run
	renewed atomic.Pointer[time.Time] // start of the last renewal that was acknowledged
	fenced  atomic.Bool               // the deadline has passed; never false again
	running atomic.Bool

	// Only Run uses the fields below.
	own      *coordinationv1.Lease // as last read or written; nil: there is none
	wanted   string                // the set that the own Lease has to show
	stored   string                // the set that it is known to show
	others   peers
	listedAt time.Time // start of the last LIST that was answered
}

// New returns the ownership of a replica; it owns no cluster until Run.
func New(o Options) *Ownership {
	o.Duration = cmp.Or(o.Duration, 15*time.Second)
	o.Deadline = cmp.Or(o.Deadline, 10*time.Second)
	o.Period = cmp.Or(o.Period, 2*time.Second)
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Ownership{o: o, self: member{identity: o.Identity, incarnation: rand.Text()}, others: peers{}}
}

// Owns reports whether this replica may write to the cluster now. It is false before Run and after it, and from the moment the
// deadline has passed. Call Owns under the lock with which Release finds the writes under way; otherwise Release misses a
// write that is about to begin.
func (s *Ownership) Owns(cluster string) bool {
	return s.claim.Load().owns(cluster) && !s.expired()
}

// Owner returns the replica that owns the cluster or is about to, as far as this one knows; "" before its first list and after
// Run.
func (s *Ownership) Owner(cluster string) string {
	return Owner(cluster, s.Replicas())
}

// Replicas returns the replicas that share the clusters as far as this one knows, sorted; none before its first list and after Run.
func (s *Ownership) Replicas() []string {
	c := s.claim.Load()
	if c == nil {
		return nil
	}
	return slices.Clone(c.replicas)
}

// expired reports whether the deadline has passed since the last renewal was sent. Once true, it stays true. It also compares the
// wall clock, because the monotonic clock stands still while a machine is suspended; both are clocks of this machine.
func (s *Ownership) expired() bool {
	now := time.Now()
	if s.fenced.Load() {
		return true
	}
	last := s.renewed.Load()
	if last == nil || now.Sub(*last) < s.o.Deadline && now.Round(0).Sub(last.Round(0)) < s.o.Deadline {
		return false
	}
	s.fenced.Store(true)
	return true
}

// change replaces the claim and calls Changed.
func (s *Ownership) change(c *claim) {
	s.claim.Store(c)
	s.o.Changed()
}

// check returns an error for options that are missing or contradict each other.
func (o Options) check() error {
	switch {
	case o.Leases == nil || o.Release == nil:
		return errors.New("Options.Leases and Options.Release are required")
	case o.Duration <= o.Deadline || o.Deadline <= 2*o.Period || o.Period <= 0:
		return fmt.Errorf("a duration of %s, a deadline of %s and a period of %s contradict each other: the duration must exceed the deadline, and the deadline two periods", o.Duration, o.Deadline, o.Period)
	}
	if wrong := validation.IsValidLabelValue(o.Name); o.Name == "" || len(wrong) > 0 {
		return fmt.Errorf("the name %q of the replicas must be a label value: %s", o.Name, strings.Join(wrong, ", "))
	}
	if wrong := validation.IsDNS1123Subdomain(o.Name + "-" + o.Identity); o.Identity == "" || len(wrong) > 0 {
		return fmt.Errorf("the identity %q of this replica must be part of an object name: %s", o.Identity, strings.Join(wrong, ", "))
	}
	return nil
}
