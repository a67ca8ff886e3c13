// Package events limits how often accord writes events. An event reports a change on which people may have to act. The callers write one event when a state begins, not at every attempt, and none for a failure that a retry
// repairs at once. The Limiter is the last guard: it bounds the number of events per object in every case.
package events

import (
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/internal/phrase"
)

const (
	// burst is the number of events about one object that are written at once; after that one per refillInterval is allowed.
	burst          = 10
	refillInterval = time.Minute
	// repeatInterval is the least time between two equal events about one object.
	repeatInterval = 10 * time.Minute
	// maxMessage is the longest message of an event that the API server accepts, in bytes.
	maxMessage = 1024
	// maxObjects is the number of objects that the Limiter tracks before it drops those without a recent event.
	maxObjects = 1000
)

// Limiter writes events and bounds their number. It is safe for concurrent use.
type Limiter struct {
	write func(about client.Object, kind, reason, message string)
	now   func() time.Time

	mu      sync.Mutex
	objects map[objectKey]*history
	swept   time.Time
}

// objectKey identifies the object that an event is about.
type objectKey struct {
	uid types.UID
	key types.NamespacedName
}

// history is the budget of one object and the events that were written about it.
type history struct {
	budget   int
	refilled time.Time
	written  map[string]time.Time // by reason and message
}

// NewLimiter returns a Limiter that writes events of the API group events.k8s.io, which kubectl shows with the object. Messages
// quote members and Git: each becomes one line without control characters.
func NewLimiter(to events.EventRecorder) *Limiter {
	return &Limiter{
		write: func(about client.Object, kind, reason, message string) {
			to.Eventf(about, nil, kind, reason, "Reconcile", "%s", phrase.Line(message))
		},
		now: time.Now, objects: map[objectKey]*history{},
	}
}

// Event writes an event, unless an equal one about this object is recent or the budget of the object is used up.
func (l *Limiter) Event(about client.Object, kind, reason, message string) {
	message = truncate(message, maxMessage)
	if l.allow(objectKey{about.GetUID(), client.ObjectKeyFromObject(about)}, reason+": "+message) {
		l.write(about, kind, reason, message)
	}
}

func (l *Limiter) allow(about objectKey, event string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	h := l.objects[about]
	if h == nil {
		l.sweep(now)
		h = &history{budget: burst, refilled: now, written: map[string]time.Time{}}
		l.objects[about] = h
	}
	if at, known := h.written[event]; known && now.Sub(at) < repeatInterval {
		return false
	}
	if earned := int(now.Sub(h.refilled) / refillInterval); earned > 0 {
		h.budget, h.refilled = min(burst, h.budget+earned), h.refilled.Add(time.Duration(earned)*refillInterval)
	}
	if h.budget == 0 {
		return false
	}
	h.budget--
	for old, at := range h.written {
		if now.Sub(at) >= repeatInterval {
			delete(h.written, old)
		}
	}
	h.written[event] = now
	return true
}

// sweep drops the objects whose history no longer limits any event.
func (l *Limiter) sweep(now time.Time) {
	if len(l.objects) < maxObjects || now.Sub(l.swept) < refillInterval {
		return
	}
	l.swept = now
	for about, h := range l.objects {
		if now.Sub(h.refilled) > max(repeatInterval, burst*refillInterval) {
			delete(l.objects, about)
		}
	}
}

// truncate cuts s to at most n bytes, between characters, and marks the cut.
func truncate(s string, n int) string {
	const cut = "..."
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len(cut)], "") + cut
}
