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
)

// pace delays the reports of the agent: the agents of a thousand clusters get a commit at the same moment, and their reports would hold up
// the clusters that do not have it yet.
type pace struct{ delay atomic.Int64 }

// spread chooses the delay until the next index, at random within the time that the hub tells, in the form of time.Duration. The first
// quarter of it is for agents that do not have the bundle yet. The agent ignores another text.
func (p *pace) spread(within string) {
	d, err := time.ParseDuration(within)
	if err != nil || d <= 0 {
		p.delay.Store(0)
		return
	}
	d = min(d, maxSpread)
	p.delay.Store(int64(d/4 + rand.N(d-d/4)))
}

// gather returns the time for which changes of a report are gathered.
func (p *pace) gather() time.Duration { return reportGather + time.Duration(p.delay.Load()) }
