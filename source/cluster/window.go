package cluster

import "time"

const (
	// pause is the time in which changes come into one snapshot. After more than burst changes the snapshot waits until no change
	// comes for a pause, at most longestPause.
	pause        = 200 * time.Millisecond
	longestPause = 2 * time.Second
	burst        = 50
)

// window holds the times of the changes since the last snapshot. The zero window has none.
type window struct {
	first, last time.Time
	changes     int
}

// add records a change.
func (w window) add(now time.Time) window {
	if w.changes == 0 {
		w.first = now
	}
	return window{w.first, now, w.changes + 1}
}

// due returns when the changes are published.
func (w window) due() time.Time {
	if w.changes <= burst {
		return w.first.Add(pause)
	}
	if due, latest := w.last.Add(pause), w.first.Add(longestPause); due.Before(latest) {
		return due
	} else {
		return latest
	}
}
