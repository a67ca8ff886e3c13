package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// errFenced says why a share is over when no request failed.
var errFenced = errors.New("the deadline has passed")

// Run takes this replica's share and keeps it until ctx ends. Then it lets go of everything and says so in its Lease, so
// that the others take over at their next look, and returns nil. It returns an error if the Lease could not be renewed, or
// the others' not be read, for Deadline, and if another process has this identity; everything was let go before it
// returns. It may be called once.
func (s *Shards) Run(ctx context.Context) error {
	if s.running.Swap(true) {
		return errors.New("the share of this replica was run before")
	}
	if err := s.o.check(); err != nil {
		return err
	}
	free, err := s.start(ctx)
	if err != nil || !free {
		return err
	}
	err = s.keep(ctx)
	return s.stop(context.WithoutCancel(ctx), err)
}

// start looks until the own Lease is free: there is none, its replica left, or it did not change for the duration. One
// that changes belongs to a process that lives. False: ctx ended before.
func (s *Shards) start(ctx context.Context) (bool, error) {
	s.looked = time.Now()
	var first *record
	for {
		records, err := s.look(ctx)
		if err != nil && time.Since(s.looked) >= s.o.Deadline {
			return false, err
		}
		if err == nil {
			i := slices.IndexFunc(records, func(r record) bool { return r.lease.Name == s.leaseName() })
			if i < 0 {
				return true, nil
			}
			found := records[i]
			if !slices.Contains(s.others.live(s.looked, s.o.Duration), found.member) {
				s.own = found.lease
				return true, nil
			}
			if first == nil {
				first = &found
				s.o.Log.Info("waiting for the lease of an earlier process of this name to run out", "lease", s.leaseName())
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

// keep goes round until ctx ends or the share is lost.
func (s *Shards) keep(ctx context.Context) error {
	s.renewed.Store(new(time.Now()))
	s.claim.Store(&claim{self: s.o.Identity})
	var trouble error
	for {
		again, err := s.round(ctx)
		switch {
		case s.lapsed():
			return fmt.Errorf("the lease %s could not be renewed for %s: %w", s.leaseName(), s.o.Deadline, cmp.Or(trouble, err, errFenced))
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errTaken), err != nil && time.Since(s.looked) >= s.o.Deadline:
			return err
		case err != nil:
			trouble = err
			s.o.Log.Warn("the share of this replica was not renewed", "error", err)
		case again:
			continue
		default:
			trouble = nil
		}
		if !sleep(ctx, s.pause()) {
			return nil
		}
	}
}

// round renews the own Lease if it is time, looks, and does the next step towards what it saw: act on another set, or
// hold what the set that all act on gives. True: it is worth looking again at once.
func (s *Shards) round(ctx context.Context) (bool, error) {
	if s.due() {
		if err := s.renew(ctx); err != nil {
			return false, err
		}
	}
	records, err := s.look(ctx)
	if err != nil {
		return false, err
	}
	s.sweep(ctx)
	members := newSet(append(s.others.live(s.looked, s.o.Duration), s.self))
	current := s.claim.Load()
	if !slices.Equal(members, current.members) {
		return true, s.actOn(ctx, current.narrowed(members))
	}
	if !current.isSettled() && s.shown == members.String() && agree(records, members) {
		s.change(current.settled())
		s.o.Log.Info("the clusters are shared", "replicas", current.replicas)
	}
	return false, nil
}

// actOn lets go of what is not this replica's under the claim's set, and only then lets the own Lease say so.
func (s *Shards) actOn(ctx context.Context, next *claim) error {
	s.change(next)
	s.o.Log.Info("the replicas changed", "replicas", next.replicas)
	if err := s.letGo(ctx, next.holds); err != nil {
		return err
	}
	s.stands = next.members.String()
	return nil
}

// letGo calls LetGo, and renews the own Lease as it stands while that lasts. If the deadline passes it lets go of
// everything besides.
func (s *Shards) letGo(ctx context.Context, holds func(string) bool) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.o.LetGo(holds)
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
		if s.lapsed() {
			s.fence()
			return errFenced
		}
		if !s.due() {
			continue
		}
		if err := s.renew(context.WithoutCancel(ctx)); err != nil {
			s.o.Log.Warn("the lease of this replica was not renewed", "error", err)
		}
	}
}

// stop lets go of everything and leaves, unless the Lease is out of reach or another's.
func (s *Shards) stop(ctx context.Context, cause error) error {
	s.change(nil)
	if s.lapsed() || errors.Is(cause, errTaken) {
		s.fence()
		return cause
	}
	if err := s.letGo(ctx, nothing); err != nil {
		return cmp.Or(cause, err)
	}
	if s.stands == "" { // nothing was ever said to the others
		return cause
	}
	if err := s.write(ctx, onNothing); err != nil {
		s.o.Log.Warn("the other replicas take over only when the lease of this one has run out", "error", err)
	}
	return cause
}

// due says whether the own Lease is to be written: a set to be shown that it may not show, or a period is over.
func (s *Shards) due() bool {
	return s.stands != "" && (s.shown != s.stands || time.Since(*s.renewed.Load()) >= s.o.Period)
}

// renew writes the own Lease. After a write that may have arrived or may yet, what the Lease shows is not known until
// another has succeeded, which keeps the one under way from arriving later.
func (s *Shards) renew(ctx context.Context) error {
	begun := time.Now()
	s.shown = ""
	if err := s.write(ctx, s.stands); err != nil {
		return err
	}
	if s.lapsed() {
		return errFenced
	}
	s.shown = s.stands
	s.renewed.Store(&begun)
	return nil
}

// look lists the Leases and remembers what it saw of the others.
func (s *Shards) look(ctx context.Context) ([]record, error) {
	began := time.Now()
	records, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	s.looked = began
	others := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.member == s.self })
	s.others.look(others, began, time.Now(), s.o.Duration)
	return records, nil
}

// sweep deletes one Lease that serves nobody any more; the next round the next one.
func (s *Shards) sweep(ctx context.Context) {
	if over := s.others.over(s.looked, s.o.Duration); len(over) > 0 {
		s.remove(ctx, over[0])
	}
}

// pause returns the time until the next round: a period, less while the others are awaited, never past the deadline.
func (s *Shards) pause() time.Duration {
	wait := s.o.Period
	if c := s.claim.Load(); c == nil || !c.isSettled() {
		wait /= 4
	}
	return min(wait, s.o.Deadline-time.Since(*s.renewed.Load()))
}

// fence lets go of everything without a word to the hub.
func (s *Shards) fence() {
	s.change(nil)
	s.o.LetGo(nothing)
}

func nothing(string) bool { return false }

// sleep waits, and says whether ctx is still alive.
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
