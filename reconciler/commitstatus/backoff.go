package commitstatus

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/source/forge"
)

const (
	// statusPace is the least time between two statuses of one commit that are not final.
	statusPace = 5 * time.Second
	// statusShare slows the statuses of a commit down that takes long: the next one comes after this part of the time that it
	// took so far. A commit can have a thousand of one name at GitHub, and nobody looks at an old one every five seconds.
	statusShare = 20
	// firstPause and lastPause bound how long is waited after an error.
	firstPause = 5 * time.Second
	lastPause  = 10 * time.Minute
)

// target is to tell the forge of one source about one Release; without a release it is all that is told with one token.
type target struct {
	release types.NamespacedName
	source  string // or the name of the Secret with the token
}

// backoff knows what was told when, and how long to leave whom alone. It is safe for concurrent use.
type backoff struct {
	mu     sync.Mutex
	told   map[target]telling
	pauses map[target]pause
}

// telling is what was told last.
type telling struct {
	print string
	at    time.Time // zero: by the process before this one
}

// pause is how long to leave somebody alone.
type pause struct {
	failures int
	until    time.Time
}

func newBackoff() *backoff {
	return &backoff{told: map[target]telling{}, pauses: map[target]pause{}}
}

// last is what was told last; print is what the Release remembers of it.
func (p *backoff) last(e target, print string) telling {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.told[e]; ok {
		return t
	}
	return telling{print: print}
}

// wait is how long to wait before something is told: zero is now. age is that of the Release.
func (p *backoff) wait(e, token target, state forge.State, age time.Duration, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := max(p.pauses[e].until.Sub(now), p.pauses[token].until.Sub(now), 0)
	if t, ok := p.told[e]; ok && !final(state) {
		wait = max(wait, t.at.Add(max(statusPace, age/statusShare)).Sub(now))
	}
	return wait
}

// succeeded notes what was told.
func (p *backoff) succeeded(e, token target, print string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[e] = telling{print, now}
	delete(p.pauses, e)
	delete(p.pauses, token)
}

// failed notes an error and returns how long to wait. What is about the token holds for all that is told with it.
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
		return next.until.Sub(now) // somebody else was told so a moment ago
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

// forget drops what is known of a Release that is gone.
func (p *backoff) forget(release types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := range p.told {
		if e.release == release {
			delete(p.told, e)
		}
	}
	for e := range p.pauses {
		if e.release == release {
			delete(p.pauses, e)
		}
	}
}
