package deliver

import (
	"sync/atomic"

	"github.com/accord-dev/accord/reconciler/apply"
)

// crowdWorkers is the number of concurrent requests that the deliveries to all clusters share. Each delivery has at least one, so a
// cluster that does not answer costs the others nothing. Without a bound, the requests of a thousand clusters wait for the processor
// for seconds, probes among them time out, and clusters that answer count as unreachable.
const crowdWorkers = 512

// crowd counts the deliveries that are running. The zero value is ready for use.
type crowd struct{ running atomic.Int32 }

// join counts a delivery until leave is called.
func (c *crowd) join() (leave func()) {
	c.running.Add(1)
	return func() { c.running.Add(-1) }
}

// share returns the number of concurrent requests of each delivery.
func (c *crowd) share() int {
	return min(max(crowdWorkers/max(int(c.running.Load()), 1), 1), apply.MostWorkers)
}
