package lease

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// GroupLabel is on every Lease of this package; its value is Options.Name.
	GroupLabel = "shard.accord.dev/group"
	// ActsOnAnnotation lists the members of the set that a replica acts on, as name@incarnation joined by commas; "none" for a
	// replica that has left and owns no cluster any more.
	ActsOnAnnotation = "shard.accord.dev/acts-on"
	// IncarnationAnnotation distinguishes two processes of one name.
	IncarnationAnnotation = "shard.accord.dev/incarnation"
)

// hasLeft is the value of ActsOnAnnotation of a replica that left. A Lease without the annotation has not left: its state is
// unknown, and no replica agrees with it.
const hasLeft = "none"

// errTaken: another process renews the Lease of this replica.
var errTaken = errors.New("another replica of the same identity is alive")

// record is one Lease as this package reads it.
type record struct {
	member
	actsOn  string
	left    bool
	version string // resourceVersion: differs after every write
	uid     types.UID
	lease   *coordinationv1.Lease
}

func recordOf(lease *coordinationv1.Lease) record {
	r := record{lease: lease, version: lease.ResourceVersion, uid: lease.UID}
	r.incarnation = lease.Annotations[IncarnationAnnotation]
	if lease.Spec.HolderIdentity != nil {
		r.identity = *lease.Spec.HolderIdentity
	}
	r.actsOn = lease.Annotations[ActsOnAnnotation]
	r.left = r.actsOn == hasLeft
	return r
}

// list returns all Leases of the group. It sends no resource version, which makes the LIST a consistent read.
func (s *Ownership) list(ctx context.Context) ([]record, error) {
	ctx, cancel := s.request(ctx)
	defer cancel()
	found, err := s.o.Leases.List(ctx, metav1.ListOptions{LabelSelector: labels.Set{GroupLabel: s.o.Name}.String()})
	if err != nil {
		return nil, fmt.Errorf("listing the leases of the replicas: %w", err)
	}
	records := make([]record, len(found.Items))
	for i := range found.Items {
		records[i] = recordOf(&found.Items[i])
	}
	return records, nil
}

// write writes actsOn and a new renewal into the own Lease. It sends only a create or an update of the known version, so a lost
// request that arrives late changes nothing.
func (s *Ownership) write(ctx context.Context, actsOn string) error {
	ctx, cancel := s.request(ctx)
	defer cancel()
	for {
		written, err := s.send(ctx, actsOn)
		switch {
		case err == nil:
			s.own = written
			return nil
		case s.own != nil && apierrors.IsNotFound(err): // deleted by somebody
			s.own = nil
		case apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err):
			if err := s.adopt(ctx); err != nil {
				return err
			}
		default:
			return fmt.Errorf("writing the lease %s: %w", s.leaseName(), err)
		}
	}
}

func (s *Ownership) send(ctx context.Context, actsOn string) (*coordinationv1.Lease, error) {
	if s.own == nil {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: s.leaseName()}}
		s.stamp(lease, actsOn)
		return s.o.Leases.Create(ctx, lease, metav1.CreateOptions{})
	}
	lease := s.own.DeepCopy()
	s.stamp(lease, actsOn)
	return s.o.Leases.Update(ctx, lease, metav1.UpdateOptions{})
}

// adopt reads the own Lease again after somebody else wrote it, or a lost request of this replica did.
func (s *Ownership) adopt(ctx context.Context) error {
	found, err := s.o.Leases.Get(ctx, s.leaseName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		s.own = nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the lease %s: %w", s.leaseName(), err)
	}
	if r := recordOf(found); r.incarnation != s.self.incarnation && !r.left {
		return fmt.Errorf("the lease %s was taken by %s: %w", s.leaseName(), r.member, errTaken)
	}
	s.own = found
	return nil
}

// stamp sets the fields of a renewal. The time is for people. It differs from the last one even if the clock was set back, because
// an API server drops a write that changes nothing.
func (s *Ownership) stamp(lease *coordinationv1.Lease, actsOn string) {
	now := metav1.NowMicro()
	if last := lease.Spec.RenewTime; last != nil && !now.After(last.Time) {
		now = metav1.NewMicroTime(last.Add(time.Microsecond))
	}
	metav1.SetMetaDataLabel(&lease.ObjectMeta, GroupLabel, s.o.Name)
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, ActsOnAnnotation, actsOn)
	if lease.Annotations[IncarnationAnnotation] != s.self.incarnation {
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, IncarnationAnnotation, s.self.incarnation)
		lease.Spec.AcquireTime = new(now)
	}
	lease.Spec.HolderIdentity = new(s.o.Identity)
	lease.Spec.LeaseDurationSeconds = new(int32(math.Ceil(s.o.Duration.Seconds())))
	lease.Spec.RenewTime = new(now)
}

// remove deletes an obsolete Lease, unless somebody wrote it since it was read. Another replica may have deleted it already.
func (s *Ownership) remove(ctx context.Context, r record) {
	ctx, cancel := s.request(ctx)
	defer cancel()
	unchanged := metav1.Preconditions{UID: &r.uid, ResourceVersion: &r.version}
	err := s.o.Leases.Delete(ctx, r.lease.Name, metav1.DeleteOptions{Preconditions: &unchanged})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		s.o.Log.Warn("cannot delete the lease of a replica that is gone", "lease", r.lease.Name, "error", err)
	}
}

// request bounds one request. A write and a list that both time out leave time for a retry before the deadline, and no request
// lasts beyond it.
func (s *Ownership) request(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add((s.o.Deadline - s.o.Period) / 2)
	if last := s.renewed.Load(); last != nil && last.Add(s.o.Deadline).Before(end) {
		end = last.Add(s.o.Deadline)
	}
	return context.WithDeadline(ctx, end)
}

func (s *Ownership) leaseName() string { return s.o.Name + "-" + s.o.Identity }
