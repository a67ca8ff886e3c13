package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// busyPercent is GOGC while the process works: a collection costs CPU for the whole heap, and the garbage of a bulk is returned
	// when the process rests.
	busyPercent = 200
	// samplePeriod is the time between two samples. The process rests after two samples of at most restBytes or a 64th of its memory.
	samplePeriod = 500 * time.Millisecond
	restBytes    = 512 << 10
	// Memory is returned when it has grown by leastReturn and a fifth since the last return, at most once in returnPeriod.
	leastReturn  = 16 << 20
	returnPeriod = 10 * time.Second
)

// ReturnAtRest returns memory to the system when the process comes to rest, until ctx ends: the Go runtime would keep the garbage of
// a bulk for minutes, and most of its memory for good. A return costs one collection. It sets GOGC, unless the environment does.
func ReturnAtRest(ctx context.Context) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(busyPercent)
	}
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
	base      uint64 // bytes in use after the last return
	last      time.Time
}

// returns takes a sample, and reports whether memory is returned now.
func (r *rest) returns(allocated, inUse uint64, now time.Time) bool {
	before := *r
	r.quiet = allocated-r.allocated <= max(restBytes, r.base/64)
	r.allocated = allocated
	if !r.quiet || !before.quiet || inUse < r.base+max(leastReturn, r.base/5) || now.Sub(r.last) < returnPeriod {
		return false
	}
	r.last = now
	return true
}

// allocated returns the bytes that the process has allocated since its start.
func allocated() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
