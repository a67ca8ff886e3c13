package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// moving is the number of objects that evictions move.
	moving = 4
	// longestEvictedLife is long enough for an eviction and its end.
	longestEvictedLife = 8 * time.Second
	// killPoints is the number of points of an eviction at which drive kills.
	killPoints = 4
	// In one of failsAgain evictions the replacement's cluster fails as well, for longer than a cluster of the tests may.
	failsAgain       = 3
	longerThanHealth = 4 * time.Second
)

// TestEvictionsKilledAtAnyPoint kills the controllers while evictions move objects. Four of six kills come at the points of one eviction
// in turn, which goes to its end, also if the cluster of the replacement fails meanwhile. The others come at random points while clusters
// are cut and come back. Half of the runs have a newer commit that awaits approval: then the controllers go on from the recorded plan.
//   - at any moment some cluster has each object: no copy is deleted before its replacement is there, and healthy;
//   - each eviction that a kill interrupts deletes the old copy in the end;
//   - at the end each object is on the cluster that is decided for it and on no other, and no eviction is under way;
//   - nobody approved the newer commit, and no cluster has it.
func TestEvictionsKilledAtAnyPoint(t *testing.T) {
	t.Parallel()
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	random := rand.New(rand.NewPCG(seed, 1))
	waits := random.IntN(2) == 0
	t.Logf("%d kills, a newer commit awaits approval: %t; to repeat: -kills %d -seed %d", *kills, waits, *kills, seed)
	w := newWorld(t, 3)
	r := newRepository(t)
	r.federation = "evictions"
	w.declare(r, func(s *v1alpha1.FederationSpec) {
		s.Failover = &v1alpha1.Failover{Enabled: true, ResourceEvictionRate: "10", Cooldown: &metav1.Duration{Duration: 2 * time.Second}}
	})
	files := []string{"stays.yaml", configMap("stays", "1"), "stays-policy.yaml", policyFor("stays", fleetOfThree, "")}
	for i := range moving {
		name := fmt.Sprintf("moves-%d", i)
		files = append(files, name+".yaml", configMap(name, "1"), name+"-policy.yaml", movable("v1", "ConfigMap", name, "{cluster: {purgeMode: Gracefully}}"))
	}
	files = append(files, "web-workload.yaml", deployment("nginx:1.27"), "web-policy.yaml", movable("apps/v1", "Deployment", "web", "{cluster: {purgeMode: Gracefully}}"))
	w.applied(r, r.push("objects that move", files...))
	source := w.chosen(r, "web")
	w.eventually("web to be healthy", func() error { return w.runs(source) })
	if waits {
		w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Approval = &v1alpha1.ApprovalPolicy{} })
		w.condition(r, r.push("a change that nobody approves", "stays.yaml", configMap("stays", "2")), v1alpha1.Approved, metav1.ConditionFalse, "")
	}
	w.stop()
	k := &evictionKillings{world: w, r: r, random: random, cache: t.TempDir()}
	k.watch()
	var err error
	k.logs, err = os.Create(filepath.Join(t.ArtifactDir(), "controllers.log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.logs.Close() })
	k.start()
	for i := range *kills {
		if point := i % 6; point < killPoints {
			k.drive(point)
		} else {
			k.strike()
		}
		k.clean()
	}
	for _, c := range w.cables {
		c.setCut(false)
	}
	for i := range moving {
		w.eventually(fmt.Sprintf("the end of the evictions of moves-%d", i), func() error { return k.settled(fmt.Sprintf("moves-%d", i)) })
	}
	k.clean()
	t.Logf("%d evictions went to their end; %d copies were deleted", k.driven, k.deleted)
	if waits {
		for cluster := range w.cables {
			require.Equal(t, "1", w.configMap(cluster, "stays").Data["key"], "nobody approved the other version")
		}
	}
}

// evictionKillings is a world in which the controllers are a process that is killed.
type evictionKillings struct {
	*world
	r          *repository
	random     *rand.Rand
	cache      string
	logs       *os.File
	controller victim

	mu      sync.Mutex
	wrong   []string
	deleted int
	driven  int
}

func (k *evictionKillings) start() {
	k.controller = start(k.t, k.logs, killableEnv+"="+k.planes["hub"].Kubeconfig(), killableEnv+"_CACHE="+k.cache, quickEnv+"=1")
}

// strike mends all clusters and cuts one, or leaves them as they are, and kills the controllers somewhat later.
func (k *evictionKillings) strike() {
	if n := k.random.IntN(6); n < 5 {
		for i, cluster := range fleetOfThree {
			k.cables[cluster].setCut(i == n)
		}
	}
	time.Sleep(time.Duration(k.random.Int64N(int64(longestEvictedLife))))
	k.controller.kill(k.t)
	k.start()
}

// drive moves web to another cluster, to the end of the eviction, and kills the controllers once, at a point.
func (k *evictionKillings) drive(point int) {
	k.t.Helper()
	strikes := func(at int) {
		if at == point {
			k.controller.kill(k.t)
			k.start()
		}
	}
	source := k.rests()
	from := func(is func(v1alpha1.GracefulEvictionTask) bool) func(v1alpha1.GracefulEvictionTask) bool {
		return func(task v1alpha1.GracefulEvictionTask) bool { return is(task) && task.FromCluster == source }
	}
	k.taintCluster(source, maintenance)
	k.evicted(k.r, "web", "open", from(open))
	strikes(0) // the task is recorded
	k.onTarget("the replacement", source, func(target string, _ v1alpha1.FederatedObjectStatus) error {
		return k.object(target, &appsv1.Deployment{}, "shop", "web")
	})
	strikes(1) // the replacement is applied
	target := k.onTarget("the eviction to wait until the replacement is healthy", source, func(target string, s v1alpha1.FederatedObjectStatus) error {
		k.clean()
		return unless(slices.ContainsFunc(s.Evictions, func(e v1alpha1.EvictionState) bool {
			return e.Cluster == source && strings.Contains(e.Message, "waits until the object is healthy on "+target)
		}), "it does not")
	})
	require.NoError(k.t, k.object(source, &appsv1.Deployment{}, "shop", "web"), "the replacement is not healthy")
	if k.random.IntN(failsAgain) == 0 {
		k.cables[target].setCut(true)
		time.Sleep(longerThanHealth)
		k.cables[target].setCut(false)
	}
	k.onTarget("the replacement to be healthy", source, func(target string, _ v1alpha1.FederatedObjectStatus) error { return k.runs(target) })
	strikes(2) // the replacement is healthy, and the old copy is there
	k.onTarget("the old copy to go", source, func(target string, _ v1alpha1.FederatedObjectStatus) error {
		if apierrors.IsNotFound(k.object(source, &appsv1.Deployment{}, "shop", "web")) {
			return nil
		}
		return errors.Join(errors.New("it is there"), k.runs(target)) // it may have moved to the third cluster
	})
	strikes(3) // the old copy is deleted, and the task is there
	k.evicted(k.r, "web", "completed", from(completed))
	k.onTarget("the replacement", source, func(target string, _ v1alpha1.FederatedObjectStatus) error { return k.runs(target) })
	k.taintCluster(source)
	k.driven++
}

// onTarget waits until a check succeeds on the cluster that is decided for web at that time, and returns that cluster. While the test
// runs, web may move again: the cluster that it moved to can seem to fail on a busy machine.
func (k *evictionKillings) onTarget(what, source string, check func(target string, s v1alpha1.FederatedObjectStatus) error) (target string) {
	k.t.Helper()
	k.eventually(what, func() error {
		o, err := k.federated(k.r, "web")
		if err != nil {
			return err
		}
		if len(o.Spec.Results) != 1 || len(o.Spec.Results[0].Clusters) != 1 || o.Spec.Results[0].Clusters[0] == source {
			return fmt.Errorf("results are %+v", o.Spec.Results)
		}
		target = o.Spec.Results[0].Clusters[0]
		if err := check(target, o.Status); err != nil {
			return fmt.Errorf("%w; web moves from %s to %s, tasks are %+v, evictions %+v", err, source, target, o.Spec.GracefulEvictionTasks, o.Status.Evictions)
		}
		return nil
	})
	return target
}

// rests mends all clusters, waits until no eviction of web is under way and it is healthy, and returns its cluster.
func (k *evictionKillings) rests() string {
	k.t.Helper()
	for _, c := range k.cables {
		c.setCut(false)
	}
	k.eventually("web to rest", func() error {
		o, err := k.federated(k.r, "web")
		if err != nil {
			return err
		}
		busy := slices.ContainsFunc(o.Spec.GracefulEvictionTasks, v1alpha1.GracefulEvictionTask.Open) || o.Spec.PlannedEvictions != nil
		if len(o.Spec.Results) != 1 || len(o.Spec.Results[0].Clusters) != 1 {
			return fmt.Errorf("results are %+v", o.Spec.Results)
		}
		if err := k.runs(o.Spec.Results[0].Clusters[0]); err != nil {
			return err
		}
		return unless(!busy, fmt.Sprintf("tasks are %+v, evictions %+v", o.Spec.GracefulEvictionTasks, o.Status.Evictions))
	})
	return k.chosen(k.r, "web")
}

// watch judges each deletion on the members from now on.
func (k *evictionKillings) watch() {
	ctx, cancel := context.WithCancel(k.t.Context())
	var watching sync.WaitGroup
	for cluster := range k.members {
		client, err := kubernetes.NewForConfig(k.planes[cluster].Config())
		require.NoError(k.t, err)
		events := watchAll(ctx, k.t, client)
		watching.Go(func() {
			for e := range events.ResultChan() {
				if cm, ok := e.Object.(*corev1.ConfigMap); ok && e.Type == watch.Deleted && strings.HasPrefix(cm.Name, "moves-") {
					k.judge(cluster, cm.Name, func(c string) bool { return k.object(c, &corev1.ConfigMap{}, "shop", cm.Name) == nil })
				}
			}
		})
		list, err := client.AppsV1().Deployments("shop").List(ctx, metav1.ListOptions{})
		require.NoError(k.t, err)
		workloads, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				return client.AppsV1().Deployments("shop").Watch(ctx, o)
			},
		})
		require.NoError(k.t, err)
		watching.Go(func() {
			for e := range workloads.ResultChan() {
				if e.Type == watch.Deleted {
					k.judge(cluster, "web", k.webIsHealthy)
				}
			}
		})
	}
	k.t.Cleanup(func() { cancel(); watching.Wait() })
}

// judge requires that some cluster has a healthy copy of an object that was deleted on one.
func (k *evictionKillings) judge(cluster, name string, healthy func(cluster string) bool) {
	there := slices.ContainsFunc(fleetOfThree, healthy)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.deleted++; !there && k.t.Context().Err() == nil {
		k.wrong = append(k.wrong, fmt.Sprintf("%s  %s was deleted on %s, and no other cluster has a healthy copy", time.Now().Format("15:04:05.000"), name, cluster))
	}
}

// webIsHealthy reports whether a cluster has web with all its replicas; only the test makes them available.
func (k *evictionKillings) webIsHealthy(cluster string) bool {
	d := &appsv1.Deployment{}
	return k.object(cluster, d, "shop", "web") == nil && d.Status.ObservedGeneration == d.Generation && d.Status.AvailableReplicas == *d.Spec.Replicas
}

func (k *evictionKillings) clean() {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	require.Empty(k.t, k.wrong, strings.Join(k.wrong, "\n"))
}

// settled returns an error unless an object is on the cluster that is decided for it and on no other, and no eviction is under way.
func (k *evictionKillings) settled(name string) error {
	o, err := k.federated(k.r, name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(o.Spec.GracefulEvictionTasks, v1alpha1.GracefulEvictionTask.Open) || o.Spec.PlannedEvictions != nil {
		return fmt.Errorf("tasks are %+v, evictions %+v", o.Spec.GracefulEvictionTasks, o.Status.Evictions)
	}
	if len(o.Spec.Results) != 1 || len(o.Spec.Results[0].Clusters) != 1 {
		return fmt.Errorf("results are %+v", o.Spec.Results)
	}
	var errs []error
	for _, cluster := range fleetOfThree {
		if there := !k.absent(cluster, name); there != (cluster == o.Spec.Results[0].Clusters[0]) {
			errs = append(errs, fmt.Errorf("on %s: %t, decided is %v", cluster, there, o.Spec.Results[0].Clusters))
		}
	}
	return errors.Join(errs...)
}
