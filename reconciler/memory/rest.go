package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// samplePeriod is the time between two samples. The process rests after two samples of at most restBytes or a restShare of the
	// memory in use: the probes of a thousand clusters allocate some megabytes in that time.
	samplePeriod = 250 * time.Millisecond
	restBytes    = 256 << 10
	restShare    = 128
	// Memory is returned when it has grown by leastReturn and by half since the last return, at most once in returnPeriod, or when
	// it has more than doubled: not after each small push, which would pay for the collection of the whole heap. After slowPeriod,
	// a quarter is enough. After a bulk it is returned if it has grown by a quarter of leastReturn, at most once in bulkPeriod, and
	// once more if it grows again: the first return may find a pause of the bulk. A bulk allocates leastReturn and a quarter of the
	// memory in use without a rest. It may end slowly, such as with many writes at the hub: it is over after two samples of at most
	// restBytes. Memory is then returned after endPeriod even if the heap has not grown, because the bulk used pages of the program. Before
	// that end only a heap that has more than doubled is returned: between two collections a heap grows by half or more each time, and
	// each return costs a collection of its own.
	leastReturn  = 32 << 20
	returnPeriod = 10 * time.Second
	bulkPeriod   = 3 * time.Second
	endPeriod    = time.Second
	slowPeriod   = time.Minute
)

// ReturnAtRest returns memory to the system when the process comes to rest, until ctx ends: the Go runtime would keep the garbage of
// a bulk for minutes, and most of its memory for good. A return costs one collection.
func ReturnAtRest(ctx context.Context) error {
	ticks := time.NewTicker(samplePeriod)
	defer ticks.Stop()
	var r rest
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticks.C:
			if r.returns(allocated(), inUse(), now) {
				debug.FreeOSMemory()
				releaseProgram()
				r.base = inUse()
			}
		}
	}
}

// rest decides when memory is returned.
type rest struct {
	allocated uint64 // bytes until the last sample
	quiet     bool   // at the last sample
	still     bool   // no more than restBytes were allocated before the last sample
	base      uint64 // bytes in use after the last return
	rested    uint64 // bytes that were allocated until the last rest
	bulk      bool   // there was one since the last return
	again     bool   // the last return was for a bulk, which may have paused
	slow      bool   // there was a bulk since the last return of a still process, which may end slowly
	last      time.Time
}

// returns takes a sample, and reports whether memory is returned now.
func (r *rest) returns(allocated, inUse uint64, now time.Time) bool {
	before := *r
	r.still = allocated-r.allocated <= restBytes
	r.quiet = r.still || allocated-r.allocated <= inUse/restShare
	r.allocated = allocated
	r.bulk = r.bulk || allocated-r.rested >= max(leastReturn, inUse/4)
	r.slow = r.slow || r.bulk
	if !r.quiet || !before.quiet {
		return false
	}
	r.rested = allocated
	since, ended := now.Sub(r.last), r.slow && r.still && before.still
	grown := inUse >= 2*r.base+leastReturn || !r.slow && (inUse >= r.base+max(leastReturn, r.base/2) && since >= returnPeriod ||
		inUse >= r.base+max(leastReturn, r.base/4) && since >= slowPeriod)
	bulk := ended && since >= endPeriod || (r.bulk || r.again) && inUse > r.base+leastReturn/4 && since >= bulkPeriod
	if !grown && !bulk {
		return false
	}
	r.last, r.bulk, r.again, r.slow = now, false, r.bulk, r.slow && !ended
	return true
}

// allocated returns the bytes that were allocated since the start of the process.
func allocated() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
