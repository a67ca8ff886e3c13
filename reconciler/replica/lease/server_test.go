package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler/replica/lease"
)

// The times of the tests on a real API server: short, and long enough for a busy machine.
const (
	duration = 5 * time.Second
	deadline = 3 * time.Second
	period   = 250 * time.Millisecond
	// soon is well below duration: a step that ends within soon waited for no Lease to expire.
	soon = 4 * time.Second
)

// TestOnAnAPIServer runs the protocol on real Leases, each case in a namespace of its own.
func TestOnAnAPIServer(t *testing.T) {
	config := localtest.Start(t, "hub").Config()
	cases := map[string]func(*group){
		"alone it owns everything":                             alone,
		"three share everything":                               three,
		"the clusters of a replica that leaves move at once":   leaving,
		"the clusters of a crashed replica wait for its Lease": crash,
		"a replica that is cut off releases before others own": cutOff,
		"an answer that never comes counts as being cut off":   hanging,
		"a second process of one identity is refused":          twice,
		"a process started again waits for the one before":     again,
		"a Lease deleted by hand moves nothing":                deleted,
		"replicas come and go at random":                       random,
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(newGroup(t, config))
		})
	}
}

// group is the replicas of one accord on a hub.
type group struct {
	*testing.T
	config    *rest.Config
	namespace string
	ledger    *ledger
	clusters  []string
	cables    map[*replica]*cable
}

func newGroup(t *testing.T, config *rest.Config) *group {
	g := &group{T: t, config: config, ledger: newLedger(), clusters: clusterNames(60), cables: map[*replica]*cable{}}
	namespaces := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces()
	made, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "shard-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	g.namespace = made.Name
	t.Cleanup(func() {
		for r := range g.cables {
			_ = r.leave()
		}
		require.Empty(t, g.ledger.counts(t), "who left writes nothing")
	})
	return g
}

// cable is a transport that can be pulled: requests fail, or hang until their context ends.
type cable struct {
	plugged http.RoundTripper
	pulled  atomic.Bool
	hangs   atomic.Bool
}

func (c *cable) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case c.hangs.Load():
		<-r.Context().Done()
		return nil, r.Context().Err()
	case c.pulled.Load():
		return nil, errors.New("the cable is pulled")
	}
	return c.plugged.RoundTrip(r)
}

func (g *group) leases(c *cable) coordinationclient.LeaseInterface {
	config := rest.CopyConfig(g.config)
	config.QPS = -1
	if c != nil {
		config.Wrap(func(plugged http.RoundTripper) http.RoundTripper {
			c.plugged = plugged
			return c
		})
	}
	return kubernetes.NewForConfigOrDie(config).CoordinationV1().Leases(g.namespace)
}

// start launches replica number i and does not wait for it.
func (g *group) start(i int) *replica {
	c := &cable{}
	o := optionsOf(g.leases(c), i)
	o.Duration, o.Deadline, o.Period = duration, deadline, period
	w := &worker{who: fmt.Sprintf("%s/%d", o.Identity, len(g.cables)), ledger: g.ledger, clusters: g.clusters, slow: 200 * time.Millisecond}
	r := launch(context.Background(), o, w, 5*time.Millisecond)
	g.cables[r] = c
	return r
}

// crash ends the process of r in the middle of its work: nothing reaches the hub any more, and nobody lets go.
func (g *group) crash(r *replica) {
	g.cables[r].pulled.Store(true)
	r.worker.die()
	r.cancel()
}

// share waits until the clusters are written to by exactly these, each by its owner.
func (g *group) share(within time.Duration, replicas ...*replica) {
	g.Helper()
	require.Eventually(g, func() bool { return g.shared(replicas) }, within, 10*time.Millisecond, "not shared by %d replicas in %s: %v", len(replicas), within, g.ledger.counts(g))
	g.ledger.counts(g)
}

func (g *group) shared(replicas []*replica) bool {
	var names []string
	for _, r := range replicas {
		names = append(names, r.worker.who)
		if len(r.Replicas()) != len(replicas) {
			return false
		}
	}
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	for _, cluster := range g.clusters {
		holders := 0
		for i, r := range replicas {
			if r.Owns(cluster) && g.ledger.writers[cluster] == names[i] {
				holders++
			}
			if r.Owner(cluster) != replicas[0].Owner(cluster) {
				return false
			}
		}
		if holders != 1 {
			return false
		}
	}
	return true
}

func alone(g *group) {
	r := g.start(0)
	g.share(soon, r)
	require.Equal(g, []string{"accord-0"}, r.Replicas())
	require.Equal(g, map[string]int{r.worker.who: 60}, g.ledger.counts(g))
	require.NoError(g, r.leave())
	require.False(g, r.Owns("cluster-0"))
	require.Empty(g, r.Owner("cluster-0"))
	g.share(soon, g.start(0))
}

func three(g *group) {
	a, b, c := g.start(0), g.start(1), g.start(2)
	g.share(soon, a, b, c)
	require.Equal(g, []string{"accord-0", "accord-1", "accord-2"}, a.Replicas())
	for who, count := range g.ledger.counts(g) {
		require.Positive(g, count, who)
	}
}

func leaving(g *group) {
	a, b, c := g.start(0), g.start(1), g.start(2)
	g.share(soon, a, b, c)
	require.NoError(g, c.leave())
	g.share(soon, a, b)
	gone := func() bool {
		leases, err := g.leases(nil).List(g.Context(), metav1.ListOptions{LabelSelector: lease.GroupLabel + "=accord"})
		return err == nil && len(leases.Items) == 2
	}
	require.Eventually(g, gone, 2*duration, period, "the Lease of a replica that left is deleted by the others")
}

func crash(g *group) {
	a, b, c := g.start(0), g.start(1), g.start(2)
	g.share(soon, a, b, c)
	held := g.ledger.counts(g)[c.worker.who]
	require.Positive(g, held)
	g.crash(c)
	crashed := time.Now()
	require.Never(g, func() bool { return len(a.Replicas()) < 3 || len(b.Replicas()) < 3 }, duration-2*period, 10*time.Millisecond)
	g.share(duration, a, b)
	g.Logf("%d clusters of a crashed replica were taken over after %s (a Lease lasts %s)", held, time.Since(crashed).Round(time.Millisecond), duration)
}

func cutOff(g *group) { g.loseOne(func(c *cable) { c.pulled.Store(true) }) }

func hanging(g *group) { g.loseOne(func(c *cable) { c.hangs.Store(true) }) }

// loseOne cuts off one of three, which goes on writing until it finds out.
func (g *group) loseOne(cut func(*cable)) {
	a, b, c := g.start(0), g.start(1), g.start(2)
	g.share(soon, a, b, c)
	cut(g.cables[c])
	select {
	case <-c.over:
	case <-time.After(duration):
		require.Fail(g, "Run did not return")
	}
	require.ErrorContains(g, c.err, "could not be renewed for 3s")
	require.Len(g, a.Replicas(), 3, "the other replicas keep their set until its Lease expires")
	require.Zero(g, g.ledger.counts(g)[c.worker.who])
	g.share(duration, a, b)
	g.share(2*duration, a, b, g.start(2))
}

func twice(g *group) {
	r := g.start(0)
	g.share(soon, r)
	second := g.start(0)
	<-second.over
	require.ErrorContains(g, second.err, "another replica of the same identity is alive")
	g.share(soon, r)
}

func again(g *group) {
	first, other := g.start(0), g.start(1)
	g.share(soon, first, other)
	g.crash(first)
	crashed := time.Now()
	second := g.start(0)
	g.share(3*duration, second, other)
	require.Greater(g, time.Since(crashed), duration-2*period)
}

func deleted(g *group) {
	a, b := g.start(0), g.start(1)
	g.share(soon, a, b)
	before := g.ledger.moves
	require.NoError(g, g.leases(nil).Delete(g.Context(), "accord-accord-1", metav1.DeleteOptions{}))
	back := func() bool {
		_, err := g.leases(nil).Get(g.Context(), "accord-accord-1", metav1.GetOptions{})
		return err == nil && len(a.Replicas()) == 2
	}
	require.Eventually(g, back, soon, 10*time.Millisecond)
	g.share(soon, a, b)
	require.Equal(g, before, g.ledger.moves)
}

// random lets five replicas join, leave, crash and be cut off for a while, then waits until all is shared again.
func random(g *group) {
	seed := rand.Uint64()
	g.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	slots := make([]*replica, 5)
	for range 60 {
		i := dice.IntN(len(slots))
		g.event(slots, i, dice)
		time.Sleep(time.Duration(dice.Int64N(int64(time.Second))))
	}
	for i, r := range slots {
		if r == nil || g.cables[r].pulled.Load() || !r.running() {
			g.end(r)
			slots[i] = g.start(i)
		}
	}
	g.share(4*duration, slots...)
	g.Logf("%d times a replica took a cluster", g.ledger.moves)
}

func (g *group) event(slots []*replica, i int, dice *rand.Rand) {
	r := slots[i]
	switch {
	case r == nil || !r.running():
		slots[i] = g.start(i)
	case g.cables[r].pulled.Load():
		g.cables[r].pulled.Store(false)
	default:
		switch dice.IntN(3) {
		case 0:
			r.cancel()
		case 1:
			g.crash(r)
		case 2:
			g.cables[r].pulled.Store(true)
		}
	}
}

func (g *group) end(r *replica) {
	if r != nil {
		_ = r.leave()
	}
}
