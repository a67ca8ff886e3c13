// Package breaker stops requests to a cluster that does not answer, so that it costs the other clusters nothing.
//
// No circuit breaker library fits: this breaker treats probes and requests differently, lets requests wait while the
// breaker is half-open, and lengthens the pause with every opening.
package breaker

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// minPause and maxPause bound how long a breaker stays open before it admits a probe. The pause doubles with
	// every opening and varies by up to 20 %, so that clusters that fail together are not probed together.
	minPause = time.Second
	maxPause = 30 * time.Second
	// requestProbeDelay is the time after the pause from which a request is admitted if no probe was sent.
	requestProbeDelay = 2 * time.Second
	// resetAfter is the time that a breaker must be closed before the pause starts at minPause again.
	resetAfter = time.Minute
	// maxServerErrors consecutive responses of 500 and above open a breaker; after serverErrorWindow without one the
	// count starts again. A few are normal: a webhook is down, or a leader election takes place.
	maxServerErrors   = 10
	serverErrorWindow = 30 * time.Second
	// minTimeout is the shortest wait without a response that counts against the cluster: callers with a shorter
	// deadline gave up too early.
	minTimeout = 4 * time.Second
)

// State is the state of a circuit breaker.
type State string

const (
	// Closed admits all requests.
	Closed State = "closed"
	// Open rejects all requests, except one probe when the pause is over.
	Open State = "open"
	// HalfOpen admits probes and, after one succeeded, requests one at a time.
	HalfOpen State = "half-open"
)

// States returns all states.
func States() []State {
	return []State{Closed, HalfOpen, Open}
}

// Breaker stops requests to a cluster that does not answer. Transport records the outcome of each request; while the
// breaker is open, requests fail immediately with an OpenError.
//
//	state     | outcome                                              | next
//	--------- | ---------------------------------------------------- | ---------
//	closed    | no connection, no response in time (1), 401          | open
//	closed    | maxServerErrors consecutive responses of 500 or more | open
//	open      | the pause is over, and a probe is sent               | half-open
//	open      | requestProbeDelay later, and no probe was sent       | half-open
//	half-open | any failure                                          | open, for twice as long
//	half-open | the probe succeeds, and a probe had opened it        | closed
//	half-open | a request succeeds, or a second probe                | closed
//
// (1) and none to any other request since this one was sent: a server or a network that is slow, or this process, which may have no
// processor for seconds when it delivers to a thousand clusters, is no reason to stop.
//
// A response of 429 changes no state: callers wait as long as it asks (see RetryAfter). An error that concerns a single
// request changes no state either.
type Breaker struct {
	mu      sync.Mutex
	state   State
	changed chan struct{} // closed and replaced with every change

	cause         error // of the last opening
	openedByProbe bool  // a probe failed with cause
	since         time.Time
	nextProbe     time.Time
	pause         time.Duration // without jitter
	openings      int           // since the last reset
	closedAt      time.Time     // zero until the first

	probeAnswered bool // half-open: a probe succeeded
	inFlight      bool // half-open: a request is in progress

	serverErrors    int       // consecutive responses of 500 and above
	lastServerError time.Time // when the last of them came
	retryAt         time.Time // from Retry-After
	answered        time.Time // when the API server, at work, answered last
}

// New returns a closed breaker.
func New() *Breaker { return &Breaker{state: Closed, changed: make(chan struct{})} }

// Status is a snapshot of a breaker.
type Status struct {
	State State
	// Cause is the error that opened the breaker last; nil while it is closed.
	Cause error
	// Since is the time of the first opening; it stays if the breaker was closed for less than a minute in between.
	Since time.Time
	// Pause is the approximate time from the last opening to the next probe.
	Pause time.Duration
	// NextProbe is the time from which a probe is admitted.
	NextProbe time.Time
}

// Status returns the state of the breaker; only State is set while it is closed.
func (b *Breaker) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.statusLocked()
}

func (b *Breaker) statusLocked() Status {
	if b.state == Closed {
		return Status{State: Closed}
	}
	return Status{State: b.state, Cause: b.cause, Since: b.since, Pause: b.pause, NextProbe: b.nextProbe}
}

// Recovering reports whether requests are admitted one at a time to test the cluster.
func (b *Breaker) Recovering() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == HalfOpen && b.probeAnswered
}

// RetryAfter returns how long the API server asked clients to wait; 0 if it did not.
func (b *Breaker) RetryAfter() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.retryAt))
}

// Answered reports whether the API server has answered any request since then, and was at work.
func (b *Breaker) Answered(since time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered.After(since)
}

// Changed returns a channel that is closed when the breaker changes.
func (b *Breaker) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// OpenError is the error of a request that an open breaker rejected.
type OpenError struct{ Status }

func (e *OpenError) Error() string {
	return "circuit breaker open since " + e.Since.UTC().Format(time.RFC3339) + ": " + e.Cause.Error()
}

// Unwrap returns the error that opened the breaker.
func (e *OpenError) Unwrap() error { return e.Cause }

// acquire waits until a request may be sent, or returns an error if it may not. After nil, the caller must call
// record.
func (b *Breaker) acquire(ctx context.Context, probe bool) error {
	for {
		wait, err := b.admit(probe)
		if wait == nil {
			return err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit decides about one request. If wait is not nil, the caller must ask again when it is closed.
func (b *Breaker) admit(probe bool) (wait <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == Closed:
		return nil, nil
	case b.state == Open && probe && !time.Now().Before(b.nextProbe):
		b.setLocked(HalfOpen)
		return nil, nil
	case b.state == Open && !probe && time.Since(b.nextProbe) >= requestProbeDelay:
		b.probeAnswered, b.inFlight = true, true // no probe was sent, so this request is the probe
		b.setLocked(HalfOpen)
		return nil, nil
	case b.state == HalfOpen && probe:
		return nil, nil
	case b.state == Open || !b.probeAnswered:
		return nil, &OpenError{b.statusLocked()}
	case b.inFlight:
		return b.changed, nil
	}
	b.inFlight = true
	return nil, nil
}

// outcome classifies the result of one request.
type outcome int

const (
	inconclusive outcome = iota // the caller gave up
	healthy                     // the API server works
	throttled                   // the API server works and asks for fewer requests
	serverError                 // the API server responds that it cannot work
	timedOut                    // no response in time
	unreachable                 // no response, or the credentials are rejected
)

// record updates the breaker with the outcome of a request.
func (b *Breaker) record(probe bool, sent time.Time, v outcome, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !probe {
		b.inFlight = false
	}
	switch {
	case v == healthy, v == throttled:
		b.answered = time.Now()
	case v == timedOut && b.answered.After(sent): // the API server is slow, and answers other requests
		v = inconclusive
	case v == timedOut:
		v = unreachable
	}
	if probe && v == serverError {
		v = unreachable // not even /version works
	}
	switch {
	case b.state == Open: // the request was sent before the breaker opened
	case v == unreachable:
		b.openLocked(probe, cause)
	case v == serverError:
		b.countServerErrorLocked(cause)
	case b.state == Closed:
		if v == healthy && !probe {
			b.serverErrors = 0
		}
	case v == inconclusive:
		b.setLocked(b.state) // let the next request try
	case !probe, b.openedByProbe, b.probeAnswered:
		b.closedAt, b.serverErrors = time.Now(), 0
		b.setLocked(Closed)
	default:
		b.probeAnswered = true
		b.setLocked(b.state)
	}
}

// countServerErrorLocked counts consecutive server errors and opens the breaker at maxServerErrors.
func (b *Breaker) countServerErrorLocked(cause error) {
	now := time.Now()
	if now.Sub(b.lastServerError) > serverErrorWindow {
		b.serverErrors = 0
	}
	b.serverErrors, b.lastServerError = b.serverErrors+1, now
	if b.state == HalfOpen || b.serverErrors >= maxServerErrors {
		b.openLocked(false, cause)
	}
}

// openLocked opens the breaker for the next pause.
func (b *Breaker) openLocked(probe bool, cause error) {
	now := time.Now()
	if b.state == Closed && now.Sub(b.closedAt) > resetAfter {
		b.openings, b.since = 0, now
	}
	b.pause = min(minPause<<min(b.openings, 16), maxPause)
	b.openings++
	b.nextProbe = now.Add(b.pause*4/5 + rand.N(b.pause*2/5))
	b.cause, b.openedByProbe, b.probeAnswered, b.serverErrors = cause, probe, false, 0
	b.setLocked(Open)
}

// setLocked changes the state and wakes all waiting requests.
func (b *Breaker) setLocked(s State) {
	b.state = s
	close(b.changed)
	b.changed = make(chan struct{})
}

// RejectedBy returns the status of the breaker that rejected a request; nil if err has another cause.
func RejectedBy(err error) *Status {
	if e, ok := errors.AsType[*OpenError](err); ok {
		return &e.Status
	}
	return nil
}
