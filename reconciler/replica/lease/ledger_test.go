package lease_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// ledger records which replica writes to which cluster.
type ledger struct {
	mu      sync.Mutex
	writers map[string]string
	wrong   []string
	moves   int
}

func newLedger() *ledger { return &ledger{writers: map[string]string{}} }

func (l *ledger) begin(cluster, who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, ok := l.writers[cluster]; ok {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %s begins to write while %s does", cluster, who, other))
	}
	l.writers[cluster] = who
	l.moves++
}

func (l *ledger) end(cluster, who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writers[cluster] == who {
		delete(l.writers, cluster)
	}
}

// counts returns the number of clusters that each replica writes to. It fails the test if two ever wrote to one.
func (l *ledger) counts(t testing.TB) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, wrong := range l.wrong {
		t.Error(wrong)
	}
	counts := map[string]int{}
	for _, who := range l.writers {
		counts[who]++
	}
	return counts
}

// worker writes to all clusters that its replica owns, until release.
type worker struct {
	who      string
	ledger   *ledger
	clusters []string
	slow     time.Duration // the longest time of release
	owns     func(string) bool

	mu      sync.Mutex
	writing map[string]bool
	dead    bool
}

// work begins to write to all clusters that the replica owns.
func (w *worker) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		if !w.dead && !w.writing[c] && w.owns(c) {
			w.writing[c] = true
			w.ledger.begin(c, w.who)
		}
	}
}

// release ends, after a while, the writes to clusters that the replica does not own any more.
func (w *worker) release(owns func(string) bool) {
	w.mu.Lock()
	var ending []string
	for c := range w.writing {
		if !owns(c) {
			ending = append(ending, c)
		}
	}
	w.mu.Unlock()
	time.Sleep(rand.N(w.slow))
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ending {
		if w.writing[c] {
			delete(w.writing, c)
			w.ledger.end(c, w.who)
		}
	}
}

// die ends the process in the middle of its work.
func (w *worker) die() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	for c := range w.writing {
		w.ledger.end(c, w.who)
	}
	w.writing = nil
}

func clusterNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("cluster-%d", i)
	}
	return names
}
