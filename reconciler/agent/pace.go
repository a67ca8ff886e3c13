package agent

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

const (
	// reportGather is the time for which the agent gathers the changes of a report: most deliveries of a commit end within it.
	reportGather = 50 * time.Millisecond
	// maxSpread bounds the time that the hub may request.
	maxSpread = time.Minute
	// leastPatience is the longest pause before the next attempt to reach the hub of a small fleet.
	leastPatience = 4 * time.Second
)

// pace delays the requests that all agents would send at the same moment, by the size of the fleet: the reports of a commit, which would hold
// up the clusters that do not have it yet, and the attempts to reach a hub that starts again.
type pace struct{ delay, within atomic.Int64 }

// spread chooses the delay until the next index, at random within the time that the hub tells, in the form of time.Duration. The first
// quarter of it is for agents that do not have the bundle yet. The agent ignores another text.
func (p *pace) spread(within string) {
	d, err := time.ParseDuration(within)
	if err != nil || d <= 0 {
		p.delay.Store(0)
		p.within.Store(0)
		return
	}
	d = min(d, maxSpread)
	p.within.Store(int64(d))
	p.delay.Store(int64(d/4 + rand.N(d-d/4)))
}

// gather returns the time for which changes of a report are gathered.
func (p *pace) gather() time.Duration { return reportGather + time.Duration(p.delay.Load()) }

// patience returns the longest pause before the next attempt to reach the hub: the time in which the hub can serve all agents, within bounds.
// An agent that does not know the time yet waits up to the upper bound.
func (p *pace) patience(most time.Duration) time.Duration {
	within := time.Duration(p.within.Load())
	if within == 0 {
		return most
	}
	return min(max(within, leastPatience), most)
}
