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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// moving is the number of objects that evictions move.
	moving = 4
	// longestEvictedLife is long enough for an eviction and its end.
	longestEvictedLife = 8 * time.Second
)

// TestEvictionsKilledAtAnyPoint kills the controllers at random points while clusters are cut and come back, and evictions move objects
// between them. Half of the runs have a newer commit that awaits approval: then the controllers go on from the recorded plan.
//   - at any moment some cluster has each object: no copy is deleted before its replacement is there;
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
	w.applied(r, r.push("objects that move", files...))
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
	for range *kills {
		k.strike()
		k.clean()
	}
	for _, c := range w.cables {
		c.setCut(false)
	}
	for i := range moving {
		w.eventually(fmt.Sprintf("the end of the evictions of moves-%d", i), func() error { return k.settled(fmt.Sprintf("moves-%d", i)) })
	}
	k.clean()
	t.Logf("%d copies were deleted", k.deleted)
	if *kills >= 20 {
		require.NotZero(t, k.deleted, "nothing moved")
	}
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
					k.judge(cluster, cm.Name)
				}
			}
		})
	}
	k.t.Cleanup(func() { cancel(); watching.Wait() })
}

// judge requires that some cluster has an object that was deleted on one.
func (k *evictionKillings) judge(cluster, name string) {
	there := slices.ContainsFunc(fleetOfThree, func(c string) bool {
		return k.object(c, &corev1.ConfigMap{}, "shop", name) == nil
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.deleted++; !there && k.t.Context().Err() == nil {
		k.wrong = append(k.wrong, fmt.Sprintf("%s  %s was deleted on %s, and no other cluster has it", time.Now().Format("15:04:05.000"), name, cluster))
	}
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
