package commitstatus

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/source/forge"
)

const (
	// statusPace is the least time between two pending statuses of one commit.
	statusPace = 5 * time.Second
	// statusShare slows down the statuses of a long rollout: the next one is sent after this fraction of its age. GitHub
	// accepts a thousand statuses of one name for a commit.
	statusShare = 20
	// firstPause and lastPause bound the back-off after an error.
	firstPause = 5 * time.Second
	lastPause  = 10 * time.Minute
)

// target identifies the status of one source of a Release. Without a release it identifies a token.
type target struct {
	release types.NamespacedName
	source  string // or the name of the Secret that has the token
}

// backoff tracks the last status sent per target and when the next may be sent. It is safe for concurrent use.
type backoff struct {
	mu     sync.Mutex
	sent   map[target]sent
	pauses map[target]pause
}

// sent is the last status sent to a target.
type sent struct {
	print string
	at    time.Time // zero: sent by an earlier process
}

// pause delays the requests for a target or a token after errors.
type pause struct {
	failures int
	until    time.Time
}

func newBackoff() *backoff {
	return &backoff{sent: map[target]sent{}, pauses: map[target]pause{}}
}

// last returns the last status sent; print is the one that the Release records.
func (p *backoff) last(e target, print string) sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.sent[e]; ok {
		return t
	}
	return sent{print: print}
}

// wait returns the time until a status may be sent, 0 for now. age is the age of the Release.
func (p *backoff) wait(e, token target, state forge.State, age time.Duration, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := max(p.pauses[e].until.Sub(now), p.pauses[token].until.Sub(now), 0)
	if t, ok := p.sent[e]; ok && !terminal(state) {
		wait = max(wait, t.at.Add(max(statusPace, age/statusShare)).Sub(now))
	}
	return wait
}

// succeeded records a sent status.
func (p *backoff) succeeded(e, token target, print string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[e] = sent{print, now}
	delete(p.pauses, e)
	delete(p.pauses, token)
}

// failed records an error and returns the time to wait. An error of the token delays all targets of that token.
func (p *backoff) failed(e, token target, err error, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	about, until := e, now
	if limit, ok := errors.AsType[*forge.RateLimitError](err); ok {
		about, until = token, limit.Until
	} else if errors.Is(err, forge.ErrDenied) {
		about = token
	}
	next := p.pauses[about]
	if next.until.After(now) {
		return next.until.Sub(now) // another target has recorded the error already
	}
	grown := min(lastPause, firstPause<<min(next.failures, 10))
	next.failures++
	next.until = now.Add(grown)
	if until.After(next.until) {
		next.until = until
	}
	p.pauses[about] = next
	return next.until.Sub(now)
}

// forget drops a deleted Release.
func (p *backoff) forget(release types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := range p.sent {
		if e.release == release {
			delete(p.sent, e)
		}
	}
	for e := range p.pauses {
		if e.release == release {
			delete(p.pauses, e)
		}
	}
}
