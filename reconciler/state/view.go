package state

import (
	"time"

	"github.com/accord-dev/accord/reconciler/state/inputkey"
)

// View returns the view of the active plan.
func (f *Federation) View() inputkey.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active.input.View
}

// NextHoldEnd returns when the next hold of a cluster ends by itself; zero if none does.
func (f *Federation) NextHoldEnd(now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == nil {
		return time.Time{}
	}
	var next time.Time
	for _, c := range f.active.plan.Fleet() {
		if c.Hold != nil && c.Hold.Until != nil && c.Hold.In(now) && (next.IsZero() || c.Hold.Until.Time.Before(next)) {
			next = c.Hold.Until.Time
		}
	}
	return next
}
