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

func (l *schemaLock) lock() {
	l.change(func() bool { return !l.alone }, func() { l.shared++ })
}

func (l *schemaLock) unlock() {
	l.change(nil, func() { l.shared-- })
}

func (l *schemaLock) lockAlone() {
	l.change(func() bool { return !l.alone && l.shared == 0 }, func() { l.alone = true })
}

func (l *schemaLock) unlockAlone() {
	l.change(nil, func() { l.alone = false })
}

// change calls do as soon as possible reports true; nil does so at once.
func (l *schemaLock) change(possible func() bool, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.L = &l.mu
	for possible != nil && !possible() {
		l.changed.Wait()
	}
	do()
	l.changed.Broadcast()
}
