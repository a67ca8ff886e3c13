package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// smallPercent is GOGC while the live heap is smaller than smallHeap: a small heap is collected often. A larger one needs the
	// usual GOGC, because memory between live objects cannot be returned: with 6,000 objects 150 MB stay for 55 MB after a plan
	// with GOGC=200, and 114 MB with 100.
	smallPercent, usualPercent = 200, 100
	smallHeap                  = 48 << 20
	// samplePeriod is the time between two samples. The process rests after two samples of at most restBytes or a 64th of its memory.
	samplePeriod = 500 * time.Millisecond
	restBytes    = 512 << 10
	// Memory is returned when it has grown by leastReturn and by half since the last return, at most once in returnPeriod: after a
	// bulk, and not after each small push, which would pay for the collection of the whole heap.
	leastReturn  = 32 << 20
	returnPeriod = 10 * time.Second
)

// ReturnAtRest returns memory to the system when the process comes to rest, until ctx ends: the Go runtime would keep the garbage of
// a bulk for minutes, and most of its memory for good. A return costs one collection. It sets GOGC, unless the environment does.
func ReturnAtRest(ctx context.Context) error {
	percent := usualPercent
	ticks := time.NewTicker(samplePeriod)
	defer ticks.Stop()
	var r rest
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticks.C:
			sample := take()
			if next := percentFor(sample.live, percent); next != percent && os.Getenv("GOGC") == "" {
				percent = next
				debug.SetGCPercent(percent)
			}
			if r.returns(sample.allocated, inUse(), now) {
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
	if !r.quiet || !before.quiet || inUse < r.base+max(leastReturn, r.base/2) || now.Sub(r.last) < returnPeriod {
		return false
	}
	r.last = now
	return true
}

// percentFor returns GOGC for a live heap; percent is the one before.
func percentFor(live uint64, percent int) int {
	switch {
	case live < smallHeap*3/4:
		return smallPercent
	case live >= smallHeap:
		return usualPercent
	}
	return percent
}

// sample has figures of the Go runtime.
type sample struct {
	allocated uint64 // bytes since the start of the process
	live      uint64 // bytes after the last collection
}

func take() sample {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return sample{samples[0].Value.Uint64(), samples[1].Value.Uint64()}
}
