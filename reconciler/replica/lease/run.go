package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// errFenced is the error of Run if no request failed before the deadline.
var errFenced = errors.New("the deadline has passed")

// Run joins the set of replicas and keeps the Lease until ctx ends. Then it releases all clusters, records that in the Lease, so
// that the other replicas take over at their next list, and returns nil. It returns an error if it could not renew the Lease or
// list the others for Deadline, or if another process has this identity. It releases all clusters before it returns. Call Run
// once.
func (s *Ownership) Run(ctx context.Context) error {
	if s.running.Swap(true) {
		return errors.New("Run was called before: call it once")
	}
	if err := s.o.check(); err != nil {
		return err
	}
	free, err := s.start(ctx)
	if err != nil || !free {
		return err
	}
	err = s.loop(ctx)
	return s.stop(context.WithoutCancel(ctx), err)
}

// start waits until the own Lease is free: there is none, its replica left, or it did not change for the duration. A Lease that
// changes belongs to a process that is alive, which is an error. It returns false if ctx ended before.
func (s *Ownership) start(ctx context.Context) (bool, error) {
	s.listedAt = time.Now()
	var first *record
	for {
		records, err := s.observe(ctx)
		if err != nil && time.Since(s.listedAt) >= s.o.Deadline {
			return false, err
		}
		if err == nil {
			i := slices.IndexFunc(records, func(r record) bool { return r.lease.Name == s.leaseName() })
			if i < 0 {
				return true, nil
			}
			found := records[i]
			if !slices.Contains(s.others.alive(s.listedAt, s.o.Duration), found.member) {
				s.own = found.lease
				return true, nil
			}
			if first == nil {
				first = &found
				s.o.Log.Info("waiting until the lease of an earlier process of this name expires", "lease", s.leaseName())
			}
			if first.version != found.version {
				return false, fmt.Errorf("the lease %s is renewed by %s: %w", s.leaseName(), found.member, errTaken)
			}
		}
		if !sleep(ctx, s.o.Period) {
			return false, nil
		}
	}
}

// loop runs rounds until ctx ends or the Lease is lost.
func (s *Ownership) loop(ctx context.Context) error {
	s.renewed.Store(new(time.Now()))
	s.claim.Store(&claim{self: s.o.Identity})
	var last error
	for {
		again, err := s.round(ctx)
		switch {
		case s.expired():
			return fmt.Errorf("the lease %s could not be renewed for %s: %w", s.leaseName(), s.o.Deadline, cmp.Or(last, err, errFenced))
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errTaken), err != nil && time.Since(s.listedAt) >= s.o.Deadline:
			return err
		case err != nil:
			last = err
			s.o.Log.Warn("cannot renew the lease of this replica or list the others", "error", err)
		case again:
			continue
		default:
			last = nil
		}
		if !sleep(ctx, s.pause()) {
			return nil
		}
	}
}

// round renews the own Lease if a renewal is due, lists the Leases, and takes the next step: it acts on another set, or owns the
// clusters of the set that all members act on. It returns true to be called again at once.
func (s *Ownership) round(ctx context.Context) (bool, error) {
	if s.due() {
		if err := s.renew(ctx); err != nil {
			return false, err
		}
	}
	records, err := s.observe(ctx)
	if err != nil {
		return false, err
	}
	s.removeObsolete(ctx)
	members := newSet(append(s.others.alive(s.listedAt, s.o.Duration), s.self))
	current := s.claim.Load()
	if !slices.Equal(members, current.members) {
		return true, s.actOn(ctx, current.narrowed(members))
	}
	if !current.isSettled() && s.stored == members.String() && agree(records, members) {
		s.change(current.settled())
		s.o.Log.Info("the clusters are shared", "replicas", current.replicas)
	}
	return false, nil
}

// actOn releases the clusters that the next claim does not own, and only then requests the new set in the own Lease.
func (s *Ownership) actOn(ctx context.Context, next *claim) error {
	s.change(next)
	s.o.Log.Info("the replicas changed", "replicas", next.replicas)
	if err := s.release(ctx, next.owns); err != nil {
		return err
	}
	s.wanted = next.members.String()
	return nil
}

// release calls Release, and renews the own Lease with the set that it has until Release returns. If the deadline passes before,
// it fences this replica.
func (s *Ownership) release(ctx context.Context, owns func(string) bool) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.o.Release(owns)
	}()
	defer func() { <-done }()
	for {
		timer := time.NewTimer(s.pause())
		select {
		case <-done:
			timer.Stop()
			return nil
		case <-timer.C:
		}
		if s.expired() {
			s.fence()
			return errFenced
		}
		if !s.due() {
			continue
		}
		if err := s.renew(context.WithoutCancel(ctx)); err != nil {
			s.o.Log.Warn("cannot renew the lease of this replica", "error", err)
		}
	}
}

// stop releases all clusters and leaves the set. It fences this replica instead if the Lease expired or belongs to another process.
func (s *Ownership) stop(ctx context.Context, cause error) error {
	s.change(nil)
	if s.expired() || errors.Is(cause, errTaken) {
		s.fence()
		return cause
	}
	if err := s.release(ctx, none); err != nil {
		return cmp.Or(cause, err)
	}
	if s.wanted == "" { // this replica never wrote a Lease
		return cause
	}
	if err := s.write(ctx, hasLeft); err != nil {
		s.o.Log.Warn("the other replicas take over only after the lease of this one has expired", "error", err)
	}
	return cause
}

// due reports whether the own Lease has to be written: it may show another set than the wanted one, or a period is over.
func (s *Ownership) due() bool {
	return s.wanted != "" && (s.stored != s.wanted || time.Since(*s.renewed.Load()) >= s.o.Period)
}

// renew writes the own Lease. After a write without an answer the stored set is unknown until a later write succeeds; that write
// keeps the lost one from arriving later.
func (s *Ownership) renew(ctx context.Context) error {
	begun := time.Now()
	s.stored = ""
	if err := s.write(ctx, s.wanted); err != nil {
		return err
	}
	if s.expired() {
		return errFenced
	}
	s.stored = s.wanted
	s.renewed.Store(&begun)
	return nil
}

// observe lists the Leases and records the peers.
func (s *Ownership) observe(ctx context.Context) ([]record, error) {
	began := time.Now()
	records, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	s.listedAt = began
	others := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.member == s.self })
	s.others.observe(others, began, time.Now(), s.o.Duration)
	return records, nil
}

// removeObsolete deletes one obsolete Lease; the next round deletes the next one.
func (s *Ownership) removeObsolete(ctx context.Context) {
	if all := s.others.obsolete(s.listedAt, s.o.Duration); len(all) > 0 {
		s.remove(ctx, all[0])
	}
}

// pause returns the time until the next round: a period, a quarter of it until all members agree, never past the deadline.
func (s *Ownership) pause() time.Duration {
	wait := s.o.Period
	if c := s.claim.Load(); c == nil || !c.isSettled() {
		wait /= 4
	}
	return min(wait, s.o.Deadline-time.Since(*s.renewed.Load()))
}

// fence releases all clusters without a request to the hub.
func (s *Ownership) fence() {
	s.change(nil)
	s.o.Release(none)
}

func none(string) bool { return false }

// sleep waits for d, and returns false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
