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
	// firstPause and lastPause bound how long a breaker stays open before it lets a probe through. It doubles with every
	// opening, and a fifth of it, more or less, is random, so that clusters that fail together are not tried together.
	firstPause = time.Second
	lastPause  = 30 * time.Second
	// unprobed is how long after the pause a request is let through without a probe.
	unprobed = 2 * time.Second
	// calm is how long a breaker has to be closed before the next opening is a new trouble, and not the same one.
	calm = time.Minute
	// stormSize is how many answers in a row that the API server cannot work open a breaker, and stormLull the time
	// without one after which they are counted anew. A few are part of life: a webhook is down, a leader is elected.
	stormSize = 10
	stormLull = 30 * time.Second
	// slowest is how long a request has to go without an answer, at least, to say anything of the cluster: whoever
	// waited less long gave up too early.
	slowest = 4 * time.Second
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
	mu     sync.Mutex
	state  State
	turned chan struct{} // closed and replaced with every change

	cause    error // what opened it last
	byProbe  bool  // cause is that of a probe
	since    time.Time
	next     time.Time     // of the next probe
	pause    time.Duration // as it is told, without what is random
	openings int           // in this trouble
	closed   time.Time     // when it was closed last

	answered bool // half-open, and a probe was answered
	trial    bool // half-open, and one request is under way

	storm     int       // answers in a row that the API server cannot work
	stormed   time.Time // when the last of them came
	busyUntil time.Time // as the API server asked
}

func New() *Breaker { return &Breaker{state: Closed, turned: make(chan struct{})} }

// Trouble is why a breaker is not closed.
type Trouble struct {
	State State
	// Cause is what opened it last.
	Cause error
	// Since when there is trouble: a breaker that is closed for moments only does not begin anew.
	Since time.Time
	// Pause is how long it stays open before the next probe, about.
	Pause time.Duration
	// Next is when the next probe is let through.
	Next time.Time
}

// Trouble of the breaker; without a Cause when it is closed.
func (b *Breaker) Trouble() Trouble {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == Closed {
		return Trouble{State: Closed}
	}
	return Trouble{State: b.state, Cause: b.cause, Since: b.since, Pause: b.pause, Next: b.next}
}

// OnTrial says that requests are let through one by one to see whether the cluster works again.
func (b *Breaker) OnTrial() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == HalfOpen && b.answered
}

// Busy is how long the API server asked to be left alone; 0 when it did not.
func (b *Breaker) Busy() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.busyUntil))
}

// Turned is closed when the breaker changes.
func (b *Breaker) Turned() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turned
}

// OpenError is the error of a request that was not sent.
type OpenError struct{ Trouble }

func (e *OpenError) Error() string {
	return "not sent, because the circuit breaker is open since " + e.Since.UTC().Format(time.RFC3339) + ": " + e.Cause.Error()
}

// Unwrap is what opened it.
func (e *OpenError) Unwrap() error { return e.Cause }

// enter waits until a request may be sent, or says that it may not. Who entered has to leave.
func (b *Breaker) enter(ctx context.Context, probe bool) error {
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
	case b.state == Open && probe && !time.Now().Before(b.next):
		b.turn(HalfOpen)
		return nil, nil
	case b.state == Open && !probe && time.Since(b.next) >= unprobed:
		b.answered, b.trial = true, true // nobody probes, so this is what there is
		b.turn(HalfOpen)
		return nil, nil
	case b.state == HalfOpen && probe:
		return nil, nil
	case b.state == Open || !b.answered:
		return nil, &OpenError{Trouble{State: b.state, Cause: b.cause, Since: b.since, Pause: b.pause, Next: b.next}}
	case b.trial:
		return b.turned, nil
	}
	b.trial = true
	return nil, nil
}

// verdict is what one request says of the cluster.
type verdict int

const (
	silence verdict = iota // nothing: whoever sent it gave up
	fine                   // the API server works
	busy                   // it works, and asks for less
	sick                   // it answers that it cannot work
	dead                   // it does not answer, or does not know us
)

// leave takes note of what became of a request.
func (b *Breaker) leave(probe bool, v verdict, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !probe {
		b.trial = false
	}
	if probe && v == sick {
		v = dead // it could not even say its version
	}
	switch {
	case b.state == Open: // a request of before
	case v == dead:
		b.open(probe, cause)
	case v == sick:
		b.sicken(cause)
	case b.state == Closed:
		if v == fine && !probe {
			b.storm = 0
		}
	case v == silence:
		b.turn(b.state) // the next one may try
	case !probe, b.byProbe, b.answered:
		b.closed, b.storm = time.Now(), 0
		b.turn(Closed)
	default:
		b.answered = true
		b.turn(b.state)
	}
}

// sicken counts answers that the API server cannot work. The caller holds b.mu.
func (b *Breaker) sicken(cause error) {
	now := time.Now()
	if now.Sub(b.stormed) > stormLull {
		b.storm = 0
	}
	b.storm, b.stormed = b.storm+1, now
	if b.state == HalfOpen || b.storm >= stormSize {
		b.open(false, cause)
	}
}

// open for a while. The caller holds b.mu.
func (b *Breaker) open(probe bool, cause error) {
	now := time.Now()
	if b.state == Closed && now.Sub(b.closed) > calm {
		b.openings, b.since = 0, now
	}
	b.pause = min(firstPause<<min(b.openings, 16), lastPause)
	b.openings++
	b.next = now.Add(b.pause*4/5 + rand.N(b.pause*2/5))
	b.cause, b.byProbe, b.answered, b.storm = cause, probe, false, 0
	b.turn(Open)
}

// turn tells everybody who waits. The caller holds b.mu.
func (b *Breaker) turn(s State) {
	b.state = s
	close(b.turned)
	b.turned = make(chan struct{})
}

// Stopped is the trouble because of which a request was not sent; nil when it was.
func Stopped(err error) *Trouble {
	if e, ok := errors.AsType[*OpenError](err); ok {
		return &e.Trouble
	}
	return nil
}
