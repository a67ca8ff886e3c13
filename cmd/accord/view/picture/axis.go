package picture

import "time"

// Share returns the position of a time on the axis, from 0 to 1.
func (r Rollout) Share(at time.Time) float64 {
	long := r.End.Sub(r.Begin)
	if long <= 0 {
		return 0
	}
	return max(0, min(1, float64(at.Sub(r.Begin))/float64(long)))
}

// Ticks returns about six round times of the axis; the first one is its begin.
func (r Rollout) Ticks() []time.Time {
	var all []time.Time
	step := tick(r.End.Sub(r.Begin))
	for at := r.Begin; !at.After(r.End); at = at.Add(step) {
		all = append(all, at)
	}
	return all
}

// Elapsed returns the time since the begin: "+10m".
func (r Rollout) Elapsed(at time.Time) string { return "+" + Span(at.Sub(r.Begin)) }

// tick returns a round time that fits into long about six times.
func tick(long time.Duration) time.Duration {
	for _, step := range []time.Duration{
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 24 * time.Hour, 48 * time.Hour,
	} {
		if long <= 7*step {
			return step
		}
	}
	return (long / 6).Truncate(time.Hour)
}
