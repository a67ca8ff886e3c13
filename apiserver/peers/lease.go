package peers

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Label is on the Lease of each replica, whose name begins with leasePrefix. addressAnnotation has its address.
	Label             = "api.accord.dev/replica"
	leasePrefix       = "accord-api-"
	addressAnnotation = "api.accord.dev/address"

	// period is the time between two renewals. A replica whose Lease did not change for duration is dead, and others delete the Lease after
	// obsolete.
	period, duration, obsolete = 10 * time.Second, 30 * time.Second, 10 * time.Minute
	// retry is the time until the next attempt after a failure.
	retry = 2 * time.Second
	// farewell bounds the deletion of the own Lease.
	farewell = 2 * time.Second
)

// peer is another replica as its Lease was last read.
type peer struct {
	address, version string
	changed          time.Time // by the own clock
}

func (k peer) alive(now time.Time) bool { return k.address != "" && now.Sub(k.changed) < duration }

// Run keeps the Lease of this replica and reads those of the others until ctx ends.
func (p *Peers) Run(ctx context.Context) {
	for ctx.Err() == nil {
		next := period
		if err := errors.Join(p.renew(ctx), p.list(ctx)); err != nil && ctx.Err() == nil {
			p.Log.Error("replicas of accord cannot find each other", "error", err)
			next = retry
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := p.Leases.Delete(ctx, leasePrefix+p.Identity, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		p.Log.Warn("cannot delete the lease of this replica", "error", err)
	}
	p.requests.CloseIdleConnections()
}

// renew writes the Lease of this replica.
func (p *Peers) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, period)
	defer cancel()
	err := p.write(ctx)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) { // somebody else wrote or deleted it
		p.own, err = p.Leases.Get(ctx, leasePrefix+p.Identity, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			p.own = nil
		} else if err != nil {
			return fmt.Errorf("reading the lease of this replica: %w", err)
		}
		err = p.write(ctx)
	}
	if err != nil {
		return fmt.Errorf("writing the lease of this replica: %w", err)
	}
	return nil
}

func (p *Peers) write(ctx context.Context) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: leasePrefix + p.Identity}}
	if p.own != nil {
		lease = p.own.DeepCopy()
	}
	metav1.SetMetaDataLabel(&lease.ObjectMeta, Label, "true")
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, addressAnnotation, p.Address)
	lease.Spec.HolderIdentity = new(p.Identity)
	lease.Spec.LeaseDurationSeconds = new(int32(duration / time.Second))
	lease.Spec.RenewTime = new(metav1.NowMicro())
	var err error
	if p.own == nil {
		lease, err = p.Leases.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		lease, err = p.Leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err == nil {
		p.own = lease
	}
	return err
}

// list reads the Leases of the others, and deletes those of replicas that died long ago.
func (p *Peers) list(ctx context.Context) error {
	began := time.Now()
	found, err := p.Leases.List(ctx, metav1.ListOptions{LabelSelector: Label})
	if err != nil {
		return fmt.Errorf("listing the leases of the other replicas: %w", err)
	}
	for _, dead := range p.observe(found.Items, began) {
		unchanged := metav1.Preconditions{UID: &dead.UID, ResourceVersion: &dead.ResourceVersion}
		err := p.Leases.Delete(ctx, dead.Name, metav1.DeleteOptions{Preconditions: &unchanged})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			p.Log.Warn("cannot delete the lease of a replica that is gone", "lease", dead.Name, "error", err)
		}
	}
	return nil
}

// observe records the Leases of a list that was sent at began, and returns the obsolete ones.
func (p *Peers) observe(leases []coordinationv1.Lease, began time.Time) []*coordinationv1.Lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed = began
	var gone []*coordinationv1.Lease
	known := map[string]peer{}
	for i := range leases {
		l := &leases[i]
		if l.Name == leasePrefix+p.Identity {
			continue
		}
		k, was := p.known[l.Name]
		if !was || k.version != l.ResourceVersion {
			k = peer{address: l.Annotations[addressAnnotation], version: l.ResourceVersion, changed: began}
		}
		known[l.Name] = k
		if began.Sub(k.changed) >= obsolete {
			gone = append(gone, l)
		}
	}
	p.known = known
	return gone
}
