package lease_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChaos lets replicas join, leave, crash, be cut off and come back on a hub in memory and on a clock of its own, over a
// network that delays, loses and answers late. Nobody ever writes where another does, and once it is quiet every cluster
// has one writer.
func TestChaos(t *testing.T) {
	first, moves := rand.Uint64(), 0
	for i := range uint64(40) {
		seed := first + i
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("seed %d", seed)
			synctest.Test(t, func(t *testing.T) { moves += runChaos(t, rand.New(rand.NewPCG(seed, 0))) })
		})
	}
	require.Greater(t, moves, 40*200, "clusters were handed over")
}

// chaos is a group of replicas to which things happen.
type chaos struct {
	t      *testing.T
	random *rand.Rand
	hub    *hub
	ledger *ledger
	bad    int // of a hundred messages
	slots  []*replica
	links  []*link
}

// runChaos returns how often a replica began to write to a cluster.
func runChaos(t *testing.T, random *rand.Rand) int {
	c := &chaos{t: t, random: random, hub: newHub(), ledger: newLedger(), bad: 1 + random.IntN(12)}
	c.slots = make([]*replica, 4+random.IntN(3))
	c.links = make([]*link, len(c.slots))
	for range 60 {
		c.event(random.IntN(len(c.slots)))
		time.Sleep(c.span(12 * time.Second))
	}
	c.quiet()
	c.ledger.counts(t)
	for _, r := range c.slots {
		_ = r.leave()
	}
	require.Empty(t, c.ledger.counts(t))
	time.Sleep(time.Minute) // what is still under way arrives
	return c.ledger.moves
}

func (c *chaos) span(most time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(most)))
}

func (c *chaos) event(i int) {
	r := c.slots[i]
	if r == nil || !r.running() {
		c.join(i)
		return
	}
	switch c.random.IntN(10) {
	case 0, 1: // leaves
		r.cancel()
	case 2: // crashes
		c.links[i].cut.Store(true)
		r.worker.die()
		r.cancel()
		<-r.over
	case 3, 4, 5: // is cut off
		l := c.links[i]
		l.cut.Store(true)
		time.AfterFunc(c.span(20*time.Second), func() { l.cut.Store(false) })
	case 6, 7: // its Lease is deleted
		c.loseLease(i)
	}
}

func (c *chaos) join(i int) {
	c.links[i] = &link{hub: c.hub, bad: c.bad}
	w := &worker{who: fmt.Sprintf("%d at %s", i, time.Now().Format(time.TimeOnly)), ledger: c.ledger, clusters: clusterNames(40), slow: time.Second}
	o := optionsOf(c.links[i], i)
	o.Duration = 12 * time.Second // little more than the deadline and letting go need
	c.slots[i] = launch(c.t.Context(), o, w, 100*time.Millisecond)
}

// loseLease deletes the Lease of a replica that others know, and lets nobody start who cannot know it.
func (c *chaos) loseLease(i int) {
	r := c.slots[i]
	name := fmt.Sprintf("accord-accord-%d", i)
	if !c.settled() || c.hub.delete(name, nil) != nil {
		return
	}
	for range 200 {
		if _, err := c.hub.get(name); err == nil || !r.running() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// settled says whether at least two run, and all of them know of each other.
func (c *chaos) settled() bool {
	var running []*replica
	for _, r := range c.slots {
		if r != nil && r.running() {
			running = append(running, r)
		}
	}
	return len(running) > 1 && !slices.ContainsFunc(running, func(r *replica) bool { return len(r.Replicas()) != len(running) })
}

// quiet mends everything, starts who does not run, and waits until every cluster is written to.
func (c *chaos) quiet() {
	for range 60 {
		for i, r := range c.slots {
			if r == nil || !r.running() {
				c.join(i)
			}
			c.links[i].cut.Store(false)
			c.links[i].calm.Store(true)
		}
		time.Sleep(5 * time.Second)
		if c.settled() && c.done() {
			return
		}
	}
	c.t.Errorf("after 5 minutes of quiet: %v", c.ledger.counts(c.t))
}

// done says whether every cluster has the one writer that all name as its owner.
func (c *chaos) done() bool {
	for _, cluster := range clusterNames(40) {
		holders := 0
		for _, r := range c.slots {
			if r.Owns(cluster) {
				holders++
			}
			if r.Owner(cluster) != c.slots[0].Owner(cluster) {
				return false
			}
		}
		if holders != 1 {
			return false
		}
	}
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	return len(c.ledger.writers) == 40
}
