// Package concurrent calls functions on all cores, or once.
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

// Once is a sync.Once that reports whether its call has returned.
type Once struct {
	once sync.Once
	done atomic.Bool
}

// Do calls do if this is the first call.
func (o *Once) Do(do func()) {
	o.once.Do(func() {
		do()
		o.done.Store(true)
	})
}

// Done reports whether the first call of Do has returned.
func (o *Once) Done() bool { return o.done.Load() }
