// Package memory reports whether the process has room for another plan, and returns memory to the system.
package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"
)

// percent of the limit from which no new plan starts.
const percent = 70

// collectEvery bounds how often the guard collects garbage before it decides: a collection of a large heap costs CPU.
const collectEvery = 10 * time.Second

// Guard compares the memory in use with the limit of the process. A nil *Guard never refuses.
type Guard struct {
	limit uint64 // 0: none
	used  func() uint64

	mu        sync.Mutex
	collected time.Time
}

// NewGuard returns a guard with the lowest limit of the process: that of its cgroup (v2 or v1), or GOMEMLIMIT.
func NewGuard() *Guard { return &Guard{limit: limitOf("/sys/fs/cgroup"), used: inUse} }

// Full returns why no new plan starts now; empty if one may.
func (g *Guard) Full(now time.Time) string {
	if g == nil || g.limit == 0 || g.used() < g.threshold() {
		return ""
	}
	g.mu.Lock()
	if now.Sub(g.collected) >= collectEvery {
		g.collected = now
		debug.FreeOSMemory() // much of it may be garbage
	}
	g.mu.Unlock()
	if g.used() < g.threshold() {
		return ""
	}
	return fmt.Sprintf("more than %d %% of the memory limit of %d MiB is in use; no new plan starts, and the clusters keep their objects: raise the memory limit of accord, or split the largest Federation",
		percent, g.limit>>20)
}

func (g *Guard) threshold() uint64 { return g.limit / 100 * percent }

// inUse returns the memory of the Go runtime that the system has mapped, as GOMEMLIMIT counts it.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// limitOf returns the lowest limit, with the files of the cgroup below dir; 0 for none.
func limitOf(dir string) uint64 {
	limit := uint64(debug.SetMemoryLimit(-1)) // GOMEMLIMIT; math.MaxInt64 for none
	for _, name := range []string{"/memory.max", "/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(dir + name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil { // "max" is none
			limit = min(limit, n)
		}
	}
	if limit >= math.MaxInt64/2 { // version 1 writes a huge number for none
		return 0
	}
	return limit
}
