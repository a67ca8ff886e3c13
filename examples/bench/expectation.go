package main

import (
	"context"
	"fmt"
	"time"
)

// expectation is that all of some places will be seen newer than they were when it arose.
type expectation struct {
	observer *observer
	wanted   map[place]int64 // what has not been seen; guarded by the observer
	met      chan time.Time  // gets the time at which the last was
}

// expect begins to wait for places.
func (o *observer) expect(places []place) *expectation {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := &expectation{observer: o, wanted: make(map[place]int64, len(places)), met: make(chan time.Time, 1)}
	for _, at := range places {
		e.wanted[at] = 0
		if number, ok := o.seen[at]; ok {
			e.wanted[at] = number + 1
		}
	}
	o.expected = append(o.expected, e)
	return e
}

// meet notes what was seen and says whether that was the last.
func (e *expectation) meet(at place, number int64) bool {
	least, ok := e.wanted[at]
	if !ok || number < least {
		return false
	}
	delete(e.wanted, at)
	if len(e.wanted) > 0 {
		return false
	}
	e.met <- time.Now()
	return true
}

// missing returns the number of expected places that were not seen yet, and one of them.
func (e *expectation) missing() (n int, one place) {
	e.observer.mu.Lock()
	defer e.observer.mu.Unlock()
	for one = range e.wanted {
		break
	}
	return len(e.wanted), one
}

// await triggers what is expected of a process and returns how long it took.
func (e *expectation) await(ctx context.Context, p *process, trigger func() error) (time.Duration, error) {
	begun := time.Now()
	if err := trigger(); err != nil {
		return 0, err
	}
	at, err := e.until(ctx, p)
	return at.Sub(begun), err
}

// until returns when the last place was seen.
func (e *expectation) until(ctx context.Context, p *process) (time.Time, error) {
	wanted, _ := e.missing()
	ctx, cancel := context.WithTimeout(ctx, limit(wanted))
	defer cancel()
	select {
	case at := <-e.met:
		return at, nil
	case <-p.ended:
		return time.Time{}, p.complain(fmt.Errorf("it ended"))
	case <-ctx.Done():
		n, one := e.missing()
		return time.Time{}, p.complain(fmt.Errorf("%d of the expected changes were not seen, for example %s %s on %s: %w",
			n, one.resource, one.name, one.member, context.Cause(ctx)))
	}
}
