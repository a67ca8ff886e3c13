// Package concurrent calls functions on all cores.
package concurrent

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls do with 0 to n-1, on all cores, and returns when all calls have returned.
func Do(n int, do func(int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}
