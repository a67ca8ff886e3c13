package reconciler_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler/store"
)

var (
	kills    = flag.Int("kills", 4, "how often TestKilledAtAnyPoint kills, and half as often TestReplicasKilledAtAnyPoint; make kill does it 200 times")
	killSeed = flag.Uint64("seed", 0, "what TestKilledAtAnyPoint does in which order; 0: another every time")
)

const (
	// settleEvery kills, members are mended and the newest commit has to arrive; hubEvery kills, the hub is killed with the
	// controllers.
	settleEvery, hubEvery = 8, 15
	// longestLife is how long the controllers live if they are killed after a time, and not after something they did.
	longestLife = 4 * time.Second
)

// TestKilledAtAnyPoint kills the controllers, and at times the hub, at random points, while commits keep coming and members go up and
// down. An observer that works out for itself what each commit wants watches the members and the hub all the time:
//   - every version of every object is what some commit wants there, with its overrides, and never an older one than before;
//   - nothing is deleted that every commit wants, and what is foreign is not touched;
//   - whenever a Release is Ready, or a FederatedObject says that its generation was observed, that is so;
//   - an object that is deleted by hand between two lives of the controllers is back, or no record is Ready, soon after the start,
//     also if Git, the clones or the member are away (defect R1); no other drift is reported;
//   - at the end every member has what the last commit wants, and nothing else.
func TestKilledAtAnyPoint(t *testing.T) { killAtAnyPoint(t, *kills, 0) }

// TestReplicasKilledAtAnyPoint does the same to three replicas that share the clusters, one at a time.
func TestReplicasKilledAtAnyPoint(t *testing.T) { killAtAnyPoint(t, *kills/2, 3) }

// killAtAnyPoint kills controllers that are alone, or one of several replicas each time.
func killAtAnyPoint(t *testing.T, times, replicas int) {
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("%d kills; to repeat: -kills %d -seed %d", times, *kills, seed)
	k := newKillings(t, rand.New(rand.NewPCG(seed, 0)), replicas)
	k.times = times
	for n := 1; n <= times; n++ {
		k.strike(n)
		k.observer.clean()
		if n%settleEvery == 0 {
			k.settle()
		}
	}
	k.commits.commit(k.commits.files) // one that can be read
	k.settle()
	k.equal()
	k.foreignIsUntouched()
	k.observer.clean()
	k.claims.mu.Lock()
	defer k.claims.mu.Unlock()
	t.Logf("%d commits, %v claims checked", len(k.commits.shas), k.claims.checked)
	require.NotZero(t, k.claims.checked["Release"])
	require.NotZero(t, k.claims.checked["FederatedObject"])
	require.NotZero(t, k.claims.checked["Delivery"])
}

// killings is a world of which parts are killed.
type killings struct {
	*world
	random      *rand.Rand
	commits     *commits
	observer    *observer
	claims      *claims
	clusters    []string
	hubProcess  *localtest.Process
	controllers []victim
	times       int // of kills
	replicas    int // 0: the controllers are alone
	started     int
	hubDir      string
	logs        *os.File
	foreign     map[string]string // resource versions of what is not accord's, by cluster
}

func newKillings(t *testing.T, random *rand.Rand, replicas int) *killings {
	t.Helper()
	k := &killings{
		random: random, replicas: replicas, clusters: []string{"cluster-a", "cluster-b", "cluster-c"}, hubDir: t.TempDir(), foreign: map[string]string{},
		world: &world{t: t, namespace: "demo", members: map[string]client.Client{}, cables: map[string]*cable{}, rights: &rights{}},
	}
	var err error
	k.logs, err = os.Create(filepath.Join(t.ArtifactDir(), "controllers.log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.logs.Close() })
	k.startHub()
	k.planes = localtest.Members(t, k.clusters...)
	k.hub = clientOf(t, k.config)
	require.NoError(t, store.Install(t.Context(), k.config))
	for _, name := range []string{k.namespace, "accord-system"} {
		k.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, name := range k.clusters {
		k.members[name] = clientOf(t, k.planes[name].Config())
		k.cables[name] = newCable(t, k.planes[name].Config().Host)
		k.join(name)
		k.plant(name)
	}
	r := k.federation("prod")
	k.commits = newCommits(r, random, k.clusters)
	r.pushing = func() { k.grant(); k.commits.plan(k.declared(r)) }
	k.observer = observe(t, k.world, k.commits)
	k.claims = k.observer.listen(k.world)
	k.commits.commit(k.commits.files)
	for range max(1, replicas) {
		k.startControllers()
	}
	k.settle()
	return k
}

// plant puts something foreign beside what accord delivers.
func (k *killings) plant(cluster string) {
	k.t.Helper()
	member := k.members[cluster]
	require.NoError(k.t, member.Create(k.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}))
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}, Data: map[string]string{"key": "theirs"}}
	require.NoError(k.t, member.Create(k.t.Context(), theirs))
	k.foreign[cluster] = theirs.ResourceVersion
}

func (k *killings) startHub() {
	k.t.Helper()
	var err error
	k.hubProcess, err = localtest.Launch(k.hubDir, "hub")
	require.NoError(k.t, err)
	k.t.Cleanup(func() { _ = k.hubProcess.Kill() }) // of a hub that was killed there is nothing left to end
	k.config = k.hubProcess.Planes["hub"].Config()
}

func (k *killings) startControllers() {
	k.t.Helper()
	k.started++
	name, env := "controllers", []string{killableEnv + "=" + k.hubProcess.Planes["hub"].Kubeconfig()}
	if k.replicas > 0 {
		name = fmt.Sprintf("replica-%d", k.started)
		env = append(env, replicaEnv+"="+name)
	}
	fmt.Fprintf(k.logs, "----- %s started at %s\n", name, time.Now().Format(time.RFC3339Nano))
	v := start(k.t, prefixed{k.logs, name}, append(env, killableEnv+"_CACHE="+filepath.Join(k.hubDir, "cache-"+name))...)
	k.controllers = append(k.controllers, v)
}

// killControllers kills one of them, any, or all.
func (k *killings) killControllers(all bool) {
	k.t.Helper()
	for len(k.controllers) > 0 {
		i := k.random.IntN(len(k.controllers))
		k.controllers[i].kill(k.t)
		k.controllers = slices.Delete(k.controllers, i, i+1)
		if !all {
			return
		}
	}
}

// strike lets something happen, kills, deletes an object by hand, and starts again.
func (k *killings) strike(n int) {
	k.t.Helper()
	for _, c := range k.cables {
		if k.random.IntN(6) == 0 {
			c.setCut(k.random.IntN(2) == 0)
		}
	}
	if n%settleEvery != 1 { // else everything is Ready, and stays so while the controllers are dead
		if k.random.IntN(4) > 0 {
			k.commits.next()
		}
		k.wait()
	}
	k.killControllers(n%hubEvery == 0)
	if k.replicas > 0 {
		k.observer.lagBegins()
	}
	if n%hubEvery == 0 {
		require.NoError(k.t, k.hubProcess.Kill())
		k.startHub()
	}
	at, mend := k.tamper(n)
	for len(k.controllers) < max(1, k.replicas) {
		k.startControllers()
	}
	if k.replicas == 0 || n == k.times { // another replica takes over only when the Lease of the killed one expires
		k.nothingStale(at)
	}
	mend()
}

// wait returns after a random time, or when a random number of objects was stored on members.
func (k *killings) wait() {
	life, number := time.Duration(k.random.Int64N(int64(longestLife))), 1+k.random.IntN(20)
	if k.random.IntN(2) == 0 {
		time.Sleep(life)
		return
	}
	select {
	case <-k.observer.stored: // of what was before
	default:
	}
	enough := time.After(2 * longestLife)
	for range number {
		select {
		case <-k.observer.stored:
		case <-enough:
			return
		}
	}
}

// settle mends all members, and returns when the newest commit that can be read is live.
func (k *killings) settle() {
	k.t.Helper()
	for _, c := range k.cables {
		c.setCut(false)
	}
	last := len(k.commits.shas) - 1
	if k.commits.at(last) == nil {
		k.commits.commit(k.commits.files)
		last++
	}
	k.ready(k.commits.repository, k.commits.shas[last])
}

// equal checks that every member has what the last commit wants, that this is what is said of it, and that it is all.
func (k *killings) equal() {
	k.t.Helper()
	want := k.commits.at(len(k.commits.shas) - 1)
	for _, cluster := range k.clusters {
		k.eventually(cluster+" to have what it should", func() error { return k.differs(cluster, want[cluster]) })
	}
}

func (k *killings) differs(cluster string, want map[manifest.ID]version) error {
	live, ok := k.claims.live(k.t.Context(), cluster)
	if !ok {
		return k.t.Context().Err()
	}
	var inventory []string
	for id, v := range want {
		if id.Kind == "ConfigMap" && live[id] != v.digest {
			return fmt.Errorf("%s is %q and not %q", id, live[id], v.digest)
		}
		delete(live, id)
		inventory = append(inventory, id.Entry())
	}
	if len(live) > 0 {
		return fmt.Errorf("orphaned: %v", live)
	}
	slices.Sort(inventory)
	d := k.delivery(k.commits.repository, cluster)
	recorded := k.inventory(k.commits.repository, cluster)
	if !slices.Equal(inventory, recorded) || len(d.Status.Orphaned) > 0 || !apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready") {
		return fmt.Errorf("the Delivery says %+v, the inventory is %v, and wanted is %v", d.Status, recorded, inventory)
	}
	return nil
}

func (k *killings) foreignIsUntouched() {
	k.t.Helper()
	for _, cluster := range k.clusters {
		require.Equal(k.t, k.foreign[cluster], k.configMap(cluster, "theirs").ResourceVersion, cluster)
	}
	var deliveries v1alpha1.DeliveryList
	require.NoError(k.t, k.hub.List(k.t.Context(), &deliveries, client.InNamespace(k.namespace)))
	require.Len(k.t, deliveries.Items, len(k.clusters))
}
