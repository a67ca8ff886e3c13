package failover

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/accord-dev/accord/internal/phrase"
)

// slowest is the interval between two evictions at the rate 0, as in Karmada.
const slowest = 1800 * time.Second

// atMost returns a rate as a sentence.
func atMost(rate float64) string {
	if rate <= 0 || math.IsNaN(rate) {
		return "at most one eviction begins in " + phrase.Duration(slowest)
	}
	return fmt.Sprintf("at most %g evictions begin per second", rate)
}

// bucket bounds the evictions that begin in any window. Its only state are the creation timestamps of tasks, which survive restarts.
type bucket struct {
	window time.Duration
	most   int
	began  []time.Time // within the window, sorted
}

// window returns the length of the window of a rate, in whole seconds, and the evictions that may begin in each.
func window(rate float64) (length time.Duration, most int) {
	if rate <= 0 || math.IsNaN(rate) {
		return slowest, 1
	}
	seconds := min(math.Ceil(1/rate), slowest.Seconds())
	return time.Duration(seconds) * time.Second, max(1, int(min(rate*seconds, math.MaxInt32)))
}

// newBucket returns the bucket of a rate at a time, without the tasks that began before.
func newBucket(rate float64) *bucket {
	length, most := window(rate)
	return &bucket{window: length, most: most}
}

// fill sorts the times at which tasks began, and drops those before the window.
func (b *bucket) fill(began []time.Time, now time.Time) {
	b.began = slices.DeleteFunc(began, func(t time.Time) bool { return !t.Add(b.window).After(now) })
	slices.SortFunc(b.began, time.Time.Compare)
}

// take reports whether one more eviction may begin; otherwise until is the time at which one may.
func (b *bucket) take(now time.Time) (ok bool, until time.Time) {
	if len(b.began) < b.most {
		b.began = append(b.began, now)
		return true, time.Time{}
	}
	return false, b.began[len(b.began)-b.most].Add(b.window)
}
