// Package breaker keeps a cluster that does not work from costing anything.
package breaker

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// minPause and lastPause bound how long a breaker stays open before it lets a probe through. It doubles with every
	// opening, and a fifth of it, more or less, is random, so that clusters that fail together are not tried together.
	minPause = time.Second
	maxPause = 30 * time.Second
	// requestProbeDelay is how long after the pause a request is let through without a probe.
	requestProbeDelay = 2 * time.Second
	// resetAfter is how long a breaker has to be closed before the next opening is a new trouble, and not the same one.
	resetAfter = time.Minute
	// maxServerErrors is how many answers in a row that the API server cannot work open a breaker, and stormLull the time
	// without one after which they are counted anew. A few are part of life: a webhook is down, a leader is elected.
	maxServerErrors   = 10
	serverErrorWindow = 30 * time.Second
	// minTimeout is how long a request has to go without an answer, at least, to say anything of the cluster: whoever
	// waited less long gave up too early.
	minTimeout = 4 * time.Second
)

// State is whether requests are let through to a cluster.
type State string

const (
	// Closed lets all through.
	Closed State = "closed"
	// Open refuses all at once, but for one probe when the pause is over.
	Open State = "open"
	// HalfOpen lets probes through and, when one was answered, other requests one by one.
	HalfOpen State = "half-open"
)

// States are all of them.
func States() []State {
	return []State{Closed, HalfOpen, Open}
}

// Breaker keeps a cluster that does not work from costing anything: it is fed by what becomes of each request, and while it
// is open requests fail at once with an OpenError.
//
//	state     | outcome                                          | next
//	--------- | ------------------------------------------------ | ---------
//	closed    | no connection, no answer in time, 401            | open
//	closed    | stormSize answers in a row of 500 and more       | open
//	open      | the pause is over, and a probe is sent           | half-open
//	open      | so it is for long, and no probe was sent         | half-open
//	half-open | any failure                                      | open, for twice as long
//	half-open | the probe is answered, and a probe had opened it | closed
//	half-open | a request is answered, or a second probe         | closed
//
// An answer of 429 is none of these: it is obeyed (see Busy). So is what the API server says of a single request.
type Breaker struct {
	mu      sync.Mutex
	state   State
	changed chan struct{} // closed and replaced with every change

	cause         error // what opened it last
	openedByProbe bool  // cause is that of a probe
	since         time.Time
	nextProbe     time.Time     // of the next probe
	pause         time.Duration // as it is told, without what is random
	openings      int           // in this trouble
	closedAt      time.Time     // when it was closed last

	probeAnswered bool // half-open, and a probe was answered
	inFlight      bool // half-open, and one request is under way

	serverErrors    int       // answers in a row that the API server cannot work
	lastServerError time.Time // when the last of them came
	retryAt         time.Time // as the API server asked
}

func New() *Breaker { return &Breaker{state: Closed, changed: make(chan struct{})} }

// Status is why a breaker is not closed.
type Status struct {
	State State
	// Cause is what opened it last.
	Cause error
	// Since when there is trouble: a breaker that is closed for moments only does not begin anew.
	Since time.Time
	// Pause is how long it stays open before the next probe, about.
	Pause time.Duration
	// NextProbe is when the next probe is let through.
	NextProbe time.Time
}

// Status of the breaker; without a Cause when it is closed.
func (b *Breaker) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == Closed {
		return Status{State: Closed}
	}
	return Status{State: b.state, Cause: b.cause, Since: b.since, Pause: b.pause, NextProbe: b.nextProbe}
}

// Recovering says that requests are let through one by one to see whether the cluster works again.
func (b *Breaker) Recovering() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == HalfOpen && b.probeAnswered
}

// RetryAfter is how long the API server asked to be left alone; 0 when it did not.
func (b *Breaker) RetryAfter() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.retryAt))
}

// Changed is closed when the breaker changes.
func (b *Breaker) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// OpenError is the error of a request that was not sent.
type OpenError struct{ Status }

func (e *OpenError) Error() string {
	return "not sent, because the circuit breaker is open since " + e.Since.UTC().Format(time.RFC3339) + ": " + e.Cause.Error()
}

// Unwrap is what opened it.
func (e *OpenError) Unwrap() error { return e.Cause }

// acquire waits until a request may be sent, or says that it may not. Who entered has to leave.
func (b *Breaker) acquire(ctx context.Context, probe bool) error {
	for {
		turned, err := b.admit(probe)
		if turned == nil {
			return err
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit decides about one request; a channel asks to wait until it is closed.
func (b *Breaker) admit(probe bool) (wait <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == Closed:
		return nil, nil
	case b.state == Open && probe && !time.Now().Before(b.nextProbe):
		b.set(HalfOpen)
		return nil, nil
	case b.state == Open && !probe && time.Since(b.nextProbe) >= requestProbeDelay:
		b.probeAnswered, b.inFlight = true, true // nobody probes, so this is what there is
		b.set(HalfOpen)
		return nil, nil
	case b.state == HalfOpen && probe:
		return nil, nil
	case b.state == Open || !b.probeAnswered:
		return nil, &OpenError{Status{State: b.state, Cause: b.cause, Since: b.since, Pause: b.pause, NextProbe: b.nextProbe}}
	case b.inFlight:
		return b.changed, nil
	}
	b.inFlight = true
	return nil, nil
}

// outcome is what one request says of the cluster.
type outcome int

const (
	inconclusive outcome = iota // nothing: whoever sent it gave up
	healthy                     // the API server works
	throttled                   // it works, and asks for less
	serverError                 // it answers that it cannot work
	unreachable                 // it does not answer, or does not know us
)

// record takes note of what became of a request.
func (b *Breaker) record(probe bool, v outcome, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !probe {
		b.inFlight = false
	}
	if probe && v == serverError {
		v = unreachable // it could not even say its version
	}
	switch {
	case b.state == Open: // a request of before
	case v == unreachable:
		b.open(probe, cause)
	case v == serverError:
		b.countServerError(cause)
	case b.state == Closed:
		if v == healthy && !probe {
			b.serverErrors = 0
		}
	case v == inconclusive:
		b.set(b.state) // the next one may try
	case !probe, b.openedByProbe, b.probeAnswered:
		b.closedAt, b.serverErrors = time.Now(), 0
		b.set(Closed)
	default:
		b.probeAnswered = true
		b.set(b.state)
	}
}

// countServerError counts answers that the API server cannot work. The caller holds b.mu.
func (b *Breaker) countServerError(cause error) {
	now := time.Now()
	if now.Sub(b.lastServerError) > serverErrorWindow {
		b.serverErrors = 0
	}
	b.serverErrors, b.lastServerError = b.serverErrors+1, now
	if b.state == HalfOpen || b.serverErrors >= maxServerErrors {
		b.open(false, cause)
	}
}

// open for a while. The caller holds b.mu.
func (b *Breaker) open(probe bool, cause error) {
	now := time.Now()
	if b.state == Closed && now.Sub(b.closedAt) > resetAfter {
		b.openings, b.since = 0, now
	}
	b.pause = min(minPause<<min(b.openings, 16), maxPause)
	b.openings++
	b.nextProbe = now.Add(b.pause*4/5 + rand.N(b.pause*2/5))
	b.cause, b.openedByProbe, b.probeAnswered, b.serverErrors = cause, probe, false, 0
	b.set(Open)
}

// set tells everybody who waits. The caller holds b.mu.
func (b *Breaker) set(s State) {
	b.state = s
	close(b.changed)
	b.changed = make(chan struct{})
}

// RejectedBy is the trouble because of which a request was not sent; nil when it was.
func RejectedBy(err error) *Status {
	if e, ok := errors.AsType[*OpenError](err); ok {
		return &e.Status
	}
	return nil
}
