// Package workqueue runs work for keys: the most urgent key first, a bounded number at once, and never one key twice at once.
package workqueue

import (
	"sync"
	"time"
)

// Queue holds the keys that wait. While none is ready it has no goroutine: a process has a queue for each of a thousand clusters.
type Queue[K comparable] struct {
	limit       int
	first, last time.Duration
	work        func(key K, priority int)

	mu       sync.Mutex
	waiting  map[K]*item
	running  map[K]bool
	failures map[K]int
	added    int // items so far, for their order
	timer    *time.Timer
	closed   bool
	done     sync.WaitGroup
}

// item is a key that waits.
type item struct {
	priority, order int
	ready           time.Time
}

// New returns a Queue that runs work for at most limit keys at once. The back-off of Retry begins with first and doubles up to last.
func New[K comparable](limit int, first, last time.Duration, work func(key K, priority int)) *Queue[K] {
	return &Queue[K]{
		limit: limit, first: first, last: last, work: work,
		waiting: map[K]*item{}, running: map[K]bool{}, failures: map[K]int{},
	}
}

// Add has work run for a key after some time. A key that waits already keeps the earlier time and the higher priority. A key whose
// work is running waits until the work has returned.
func (q *Queue[K]) Add(key K, priority int, after time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(key, priority, after)
}

// Retry is Add after the back-off of the key.
func (q *Queue[K]) Retry(key K, priority int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	after := q.last
	if n := q.failures[key]; n < 32 && q.first<<n < q.last {
		after = q.first << n
	}
	q.failures[key]++
	q.add(key, priority, after)
}

// Forget ends the back-off of a key.
func (q *Queue[K]) Forget(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.failures, key)
}

// Len returns the number of keys that wait and are ready.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, now := 0, time.Now()
	for _, i := range q.waiting {
		if !i.ready.After(now) {
			n++
		}
	}
	return n
}

// Close drops the keys that wait, and returns when no work is running.
func (q *Queue[K]) Close() {
	q.mu.Lock()
	q.closed = true
	clear(q.waiting)
	if q.timer != nil {
		q.timer.Stop()
	}
	q.mu.Unlock()
	q.done.Wait()
}

func (q *Queue[K]) add(key K, priority int, after time.Duration) {
	if q.closed {
		return
	}
	ready := time.Now().Add(after)
	if i := q.waiting[key]; i == nil {
		q.added++
		q.waiting[key] = &item{priority: priority, order: q.added, ready: ready}
	} else {
		if ready.Before(i.ready) {
			i.ready = ready
		}
		if priority > i.priority {
			q.added++
			i.priority, i.order = priority, q.added
		}
	}
	q.start()
}

// start starts work for the keys that are ready, as far as the limit allows, and sets the timer for the next one that is not.
func (q *Queue[K]) start() {
	for !q.closed && len(q.running) < q.limit {
		key, next := q.next(time.Now())
		if next == nil {
			return
		}
		delete(q.waiting, key)
		q.running[key] = true
		q.done.Go(func() {
			q.work(key, next.priority)
			q.mu.Lock()
			defer q.mu.Unlock()
			delete(q.running, key)
			q.start()
		})
	}
}

// next returns the key that is ready and not running with the highest priority, of several the first one added. If there is none,
// it sets the timer.
func (q *Queue[K]) next(now time.Time) (key K, best *item) {
	var soonest time.Time
	for k, i := range q.waiting {
		switch {
		case q.running[k]:
		case i.ready.After(now):
			if soonest.IsZero() || i.ready.Before(soonest) {
				soonest = i.ready
			}
		case best == nil, i.priority > best.priority, i.priority == best.priority && i.order < best.order:
			key, best = k, i
		}
	}
	if best == nil && !soonest.IsZero() {
		q.wake(soonest.Sub(now))
	}
	return key, best
}

// wake has start called after some time.
func (q *Queue[K]) wake(after time.Duration) {
	if q.timer != nil {
		q.timer.Reset(after)
		return
	}
	q.timer = time.AfterFunc(after, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.start()
	})
}
