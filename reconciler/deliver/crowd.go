package deliver

import (
	"slices"
	"sync"

	"github.com/accord-dev/accord/reconciler/apply"
)

// crowdAtFull is the number of deliveries that send apply.MostWorkers requests at once. Others send one at a time, so that they go on
// while clusters among the first do not answer. Without a bound, the requests of a thousand clusters wait for the processor for
// seconds, probes among them time out, and clusters that answer count as unreachable. As the first deliveries end before the last
// ones, their statuses are written while the others go on.
const crowdAtFull = 64

// crowd has the deliveries that are running, in the order in which they began. The zero value is ready for use.
type crowd struct {
	mu    sync.Mutex
	full  int           // deliveries that are at full
	queue []*inTheCrowd // others
}

// inTheCrowd is one delivery.
type inTheCrowd struct {
	crowd *crowd
	full  bool // guarded by crowd.mu
}

// join adds a delivery, which has to leave.
func (c *crowd) join() *inTheCrowd {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := &inTheCrowd{crowd: c}
	c.queue = append(c.queue, d)
	c.advance()
	return d
}

// advance moves the first deliveries of the queue to full.
func (c *crowd) advance() {
	for c.full < crowdAtFull && len(c.queue) > 0 {
		c.queue[0].full = true
		c.queue = slices.Delete(c.queue, 0, 1)
		c.full++
	}
}

// leave ends a delivery.
func (d *inTheCrowd) leave() {
	c := d.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.full {
		c.full--
	} else if i := slices.Index(c.queue, d); i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	}
	c.advance()
}

// share returns the number of requests that the delivery may send at once.
func (d *inTheCrowd) share() int {
	d.crowd.mu.Lock()
	defer d.crowd.mu.Unlock()
	if d.full {
		return apply.MostWorkers
	}
	return 1
}
