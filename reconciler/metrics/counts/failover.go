package counts

import "maps"

// Failover counts the evictions of one Federation since the process started.
type Failover struct {
	// Begun counts the evictions by their reason.
	Begun map[string]uint64
	// Recovery has the times from a failure until every replacement was healthy.
	Recovery Histogram
	// Descheduled counts the moves of replicas by the descheduler.
	Descheduled uint64
	// Open is the number of evictions under way.
	Open int
}

// Begin counts an eviction that begins.
func (f *Failover) Begin(reason string) {
	if f.Begun == nil {
		f.Begun = map[string]uint64{}
	}
	f.Begun[reason]++
}

// Clone returns a copy.
func (f Failover) Clone() Failover {
	f.Begun = maps.Clone(f.Begun)
	return f
}
