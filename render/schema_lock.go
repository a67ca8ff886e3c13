package render

import "sync"

// schemaLock lets builds with the built-in schema run at the same time, and a build that sets the schema run alone. Unlike in a
// sync.RWMutex, a build that waits to run alone holds up no other: it waits until no other build runs.
type schemaLock struct {
	mu      sync.Mutex
	changed sync.Cond
	shared  int
	alone   bool
}

// wait waits for a change. The caller holds mu.
func (l *schemaLock) wait() {
	l.changed.L = &l.mu
	l.changed.Wait()
}

func (l *schemaLock) lock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.alone {
		l.wait()
	}
	l.shared++
}

func (l *schemaLock) unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared--
	l.changed.Broadcast()
}

func (l *schemaLock) lockAlone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.alone || l.shared > 0 {
		l.wait()
	}
	l.alone = true
}

func (l *schemaLock) unlockAlone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone = false
	l.changed.Broadcast()
}
