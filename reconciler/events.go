package reconciler

import (
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An event means that a person may care. Each is told where the state that it is about begins, not at every attempt; what
// mends itself within moments is not told at all. The crier is the last guard: whatever happens, it bounds how often
// one object is spoken of.

const (
	// eventBurst is how many events about one object are told at once, eventRefill how soon there may be one more.
	eventBurst  = 10
	eventRefill = time.Minute
	// sameEvent is how long the same is not said again of one object.
	sameEvent = 10 * time.Minute
	// maxNote is how long the API server allows the text of an event to be, in bytes.
	maxNote = 1024
	// keptSpoken is how many objects are remembered before those are forgotten of which nothing was said for long.
	keptSpoken = 1000
)

// crier tells people, and bounds how often.
type crier struct {
	tell func(about client.Object, kind, reason, message string)
	now  func() time.Time

	mu     sync.Mutex
	spoken map[spokenOf]*speech
	swept  time.Time
}

// spokenOf identifies what is spoken of.
type spokenOf struct {
	uid types.UID
	key types.NamespacedName
}

// speech is what was said of one object.
type speech struct {
	budget int
	filled time.Time            // when the budget was counted last
	said   map[string]time.Time // by reason and message
}

// newCrier tells by events of the API group events.k8s.io, which kubectl shows beside the object.
func newCrier(to events.EventRecorder) *crier {
	return &crier{
		tell: func(about client.Object, kind, reason, message string) {
			to.Eventf(about, nil, kind, reason, "Reconcile", "%s", message)
		},
		now: time.Now, spoken: map[spokenOf]*speech{},
	}
}

// event tells it, unless it was said of this object just now, or too much was.
func (c *crier) event(about client.Object, kind, reason, message string) {
	message = bounded(message, maxNote)
	if c.may(spokenOf{about.GetUID(), client.ObjectKeyFromObject(about)}, reason+": "+message) {
		c.tell(about, kind, reason, message)
	}
}

func (c *crier) may(about spokenOf, what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	s := c.spoken[about]
	if s == nil {
		c.forget(now)
		s = &speech{budget: eventBurst, filled: now, said: map[string]time.Time{}}
		c.spoken[about] = s
	}
	if at, said := s.said[what]; said && now.Sub(at) < sameEvent {
		return false
	}
	if earned := int(now.Sub(s.filled) / eventRefill); earned > 0 {
		s.budget, s.filled = min(eventBurst, s.budget+earned), s.filled.Add(time.Duration(earned)*eventRefill)
	}
	if s.budget == 0 {
		return false
	}
	s.budget--
	for old, at := range s.said {
		if now.Sub(at) >= sameEvent {
			delete(s.said, old)
		}
	}
	s.said[what] = now
	return true
}

// forget drops the objects of which nothing was said for so long that all may be said of them again.
func (c *crier) forget(now time.Time) {
	if len(c.spoken) < keptSpoken || now.Sub(c.swept) < eventRefill {
		return
	}
	c.swept = now
	for about, s := range c.spoken {
		if now.Sub(s.filled) > max(sameEvent, eventBurst*eventRefill) {
			delete(c.spoken, about)
		}
	}
}

// bounded cuts s so that it takes at most n bytes, between characters, and shows that it did.
func bounded(s string, n int) string {
	const cut = "..."
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len(cut)], "") + cut
}

// listed names the first few of many.
func listed(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

// Kinds of events.
const (
	normal  = corev1.EventTypeNormal
	warning = corev1.EventTypeWarning
)
