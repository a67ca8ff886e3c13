package agent

import (
	"math/rand/v2"
	"time"
)

// firstRetry and lastRetry bound the pauses while the hub does not answer, or sends a bundle that the agent refuses.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// backoff makes the pauses between attempts longer and longer. Half of each pause is random: a thousand agents do not return at the same
// moment.
type backoff struct {
	pause, longest time.Duration
}

// newBackoff returns a backoff that has made no pause.
func newBackoff(longest time.Duration) backoff { return backoff{firstRetry, longest} }

// next returns the next pause.
func (b *backoff) next() time.Duration {
	pause := b.pause
	b.pause = min(2*pause, b.longest)
	return pause/2 + rand.N(pause/2)
}
