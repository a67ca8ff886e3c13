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

// Options configure a replica. Leases, Name, Identity and LetGo are required.
type Options struct {
	// Leases are those of accord's namespace. Rights: create, delete, get, list, update.
	Leases coordinationclient.LeaseInterface
	// Name is the prefix of the names of the Leases and the value of their label. Replicas of one name share.
	Name string
	// Identity of this replica, unique among those of the name, for example the name of its pod. Name-Identity has to be the
	// name of an object (an RFC 1123 subdomain).
	Identity string

	Duration time.Duration // without a renewal for so long a replica is dead to the others; 0: 15 s
	Deadline time.Duration // without a renewal for so long it holds nothing; below Duration; 0: 10 s
	Period   time.Duration // between two renewals; below half of Deadline; 0: 2 s

	// LetGo returns when nothing is written any more to clusters that holds is false for, and nothing is under way. It is
	// called after Holds says so, and may be called a second time, with less, before the first call returned: when the
	// deadline passed in between. Then it has Duration - Deadline to return in, because after that others write.
	LetGo func(holds func(cluster string) bool)
	// Changed is called when the results of Holds, Owner or Replicas may have changed. It must not block, and may be nil.
	Changed func()
	// Log may be nil.
	Log *slog.Logger
}

// Shards is the share of one replica. Its methods may be called at any time by anybody.
type Shards struct {
	o    Options
	self member

	claim   atomic.Pointer[claim]     // nil before the first look and after Run
	renewed atomic.Pointer[time.Time] // when the last renewal that was acknowledged was begun
	fenced  atomic.Bool               // the deadline has passed once: for good
	running atomic.Bool

	// The rest is Run's alone.
	own    *coordinationv1.Lease // as last read or written; nil: there is none
	stands string                // the set that the own Lease has to show
	shown  string                // the set that it is known to show
	others sight
	looked time.Time // when the last LIST that was answered was begun
}

// New is a replica that holds nothing until Run.
func New(o Options) *Shards {
	o.Duration = cmp.Or(o.Duration, 15*time.Second)
	o.Deadline = cmp.Or(o.Deadline, 10*time.Second)
	o.Period = cmp.Or(o.Period, 2*time.Second)
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Shards{o: o, self: member{identity: o.Identity, incarnation: rand.Text()}, others: sight{}}
}

// Holds says whether this replica may write to the cluster now. It is false before Run and after it, and as soon as the
// deadline has passed, whatever else this process is busy with. Who writes must ask under the lock that LetGo takes to see what
// is under way, or LetGo misses a write that is about to begin.
func (s *Shards) Holds(cluster string) bool {
	return s.claim.Load().holds(cluster) && !s.lapsed()
}

// Owner is the replica that holds the cluster or is about to, as far as this one knows; "" before its first look and
// after Run.
func (s *Shards) Owner(cluster string) string {
	return Owner(cluster, s.Replicas())
}

// Replicas are those that share the clusters as far as this one knows, sorted; none before its first look and after Run.
func (s *Shards) Replicas() []string {
	c := s.claim.Load()
	if c == nil {
		return nil
	}
	return slices.Clone(c.replicas)
}

// lapsed says whether the deadline has passed since the last renewal. It counts from before that was sent, and once true
// it stays so. The clock on the wall is asked as well because the monotonic one stands still in a machine that is
// suspended; both are this machine's own.
func (s *Shards) lapsed() bool {
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

// change puts another claim in place and says so.
func (s *Shards) change(c *claim) {
	s.claim.Store(c)
	s.o.Changed()
}

// check says what is wrong with the options.
func (o Options) check() error {
	switch {
	case o.Leases == nil || o.LetGo == nil:
		return errors.New("sharing clusters needs leases and a way to let go")
	case o.Duration <= o.Deadline || o.Deadline <= 2*o.Period || o.Period <= 0:
		return fmt.Errorf("a lease of %s, a deadline of %s and a period of %s do not go together: the lease has to be longer than the deadline, and that than two periods", o.Duration, o.Deadline, o.Period)
	}
	if wrong := validation.IsValidLabelValue(o.Name); o.Name == "" || len(wrong) > 0 {
		return fmt.Errorf("the name %q of the replicas has to be the value of a label: %s", o.Name, strings.Join(wrong, ", "))
	}
	if wrong := validation.IsDNS1123Subdomain(o.Name + "-" + o.Identity); o.Identity == "" || len(wrong) > 0 {
		return fmt.Errorf("the identity %q of this replica has to make the name of an object: %s", o.Identity, strings.Join(wrong, ", "))
	}
	return nil
}
