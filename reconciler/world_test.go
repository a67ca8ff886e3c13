package reconciler_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/failover"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/state/inventory"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/webhook"
	"github.com/accord-dev/accord/status/readiness"
)

// patience is how long a test waits for what should take a moment: CI machines stall.
const patience = 3 * time.Minute

// world is a hub with running controllers, members, and a Git repository: what a team has.
type world struct {
	t       *testing.T
	hub     client.Client
	config  *rest.Config
	members map[string]client.Client
	cables  map[string]*cable // between the hub and each member
	planes  map[string]*localtest.ControlPlane
	rights  *rights
	// namespace of the Federations of this test.
	namespace string
	// hook is where the controllers take pushes, "127.0.0.1:<port>".
	hook string
	// metrics is where the controllers serve their metrics, "127.0.0.1:<port>"; empty for not at all. A process serves the
	// metrics of one world at a time: such a test does not run in parallel.
	metrics string
	log     *errorCounter
	stop    func()
	bundles *bundles.Store
	// agents has a function for each member in pull mode that ends its agent.
	agents map[string]func()
	// heard gets the log of the agents; nil: the log of the test.
	heard io.Writer
	// cache is the directory of the controllers' files.
	cache string
	// failover has the settings of evictions; the zero value the defaults.
	failover failover.Defaults
	// ahead is the time, in nanoseconds, by which the clock for the renewal of tokens is ahead.
	ahead *atomic.Int64
}

// newWorld starts everything but the metrics. Members are named cluster-a, cluster-b, and so on.
func newWorld(t *testing.T, members int) *world {
	t.Helper()
	return newWorldWithMetrics(t, members, "")
}

// newWorldWithMetrics starts everything. The controllers serve their metrics at an address.
func newWorldWithMetrics(t *testing.T, members int, metrics string) *world {
	t.Helper()
	w := newWorldAtRest(t, members, metrics, nil)
	w.run()
	return w
}

// newWorldAtRest starts everything but the controllers. heard gets the log of the agents.
func newWorldAtRest(t *testing.T, members int, metrics string, heard io.Writer) *world {
	t.Helper()
	names := []string{"hub"}
	for i := range members {
		names = append(names, "cluster-"+string(rune('a'+i)))
	}
	w := &world{t: t, namespace: "demo", members: map[string]client.Client{}, cables: map[string]*cable{}, planes: localtest.Members(t, names...), rights: &rights{}, agents: map[string]func(){}, heard: heard}
	w.hook, w.metrics, w.log = freeAddress(t), metrics, &errorCounter{to: t.Output()}
	w.config = w.planes["hub"].Config()
	w.hub = clientOf(t, w.config)
	require.NoError(t, store.Install(t.Context(), w.config))
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}})
	for _, name := range names[1:] {
		w.members[name] = clientOf(t, w.planes[name].Config())
		w.lay(name)
		w.join(name)
	}
	return w
}

// lay lays the cable between the hub and a member, to the end that accepts connections.
func (w *world) lay(name string) {
	w.t.Helper()
	far := w.planes[name]
	if *mode == "pull" {
		far = w.planes["hub"]
	}
	w.cables[name] = newCable(w.t, far.Config().Host)
}

func clientOf(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}

// health has thresholds that a test does not wait for.
var health = member.Health{
	Thresholds: readiness.Thresholds{Failure: 300 * time.Millisecond, Success: 300 * time.Millisecond}, EvictionTimeout: time.Second, MaxUnreachable: 30,
}

// run starts the controllers in this process; w.stop ends them.
func (w *world) run() {
	w.t.Helper()
	w.runIn(w.t.TempDir())
}

// runIn starts the controllers with the files of an earlier start.
func (w *world) runIn(cache string) {
	w.t.Helper()
	w.cache, w.ahead = cache, &atomic.Int64{}
	ahead := w.ahead
	w.start(reconciler.Options{
		CacheDir: w.cache, Sources: everySource(), SecretsNamespace: w.namespace, Webhook: webhook.Options{Address: w.hook}, Metrics: metrics.Options{Address: w.metrics}, Log: logr.FromSlogHandler(slog.NewTextHandler(w.log, nil)),
		Health: health, Failover: w.failover, Descheduler: descheduler.Settings{Interval: time.Second}, Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	})
}

// start starts the controllers with options; in pull mode, also the API server for the agents.
func (w *world) start(o reconciler.Options) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	w.bundles = bundles.New(bundles.CompressedLimit)
	o.Bundles = w.bundles
	go func() { ended <- reconciler.Run(ctx, w.config, o) }()
	serving := func() {}
	if *mode == "pull" {
		serving = w.serve()
	}
	w.stop = sync.OnceFunc(func() {
		serving()
		cancel()
		require.NoError(w.t, <-ended)
	})
	w.t.Cleanup(func() { w.stop() })
}

// play runs the parts of a test in a world that they share, in another order each time, and logs the order. A part begins when every cluster
// is Ready: a part that cut one off ends when the cluster answers, and policies do not choose it until it has answered for a while.
func (w *world) play(parts map[string]func(*testing.T, *world)) {
	w.t.Helper()
	order := slices.Collect(maps.Keys(parts))
	w.t.Logf("order of the parts: %q", order)
	for _, name := range order {
		w.t.Run(name, func(t *testing.T) {
			inner := *w
			inner.t = t
			for cluster := range inner.cables {
				inner.clusterIs(cluster, metav1.ConditionTrue, "")
			}
			parts[name](t, &inner)
		})
	}
}

// freeAddress returns an address that nobody listens at. Its port lies below those that the system gives to outgoing
// connections and to listeners on port 0 (32768 and up) and those of control planes (20000 and up): nobody takes it
// before the controllers listen, nor between their stop and the next start.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(10000)))
		if err == nil {
			require.NoError(t, l.Close())
			return l.Addr().String()
		}
	}
	require.FailNow(t, "no free port between 10000 and 19999")
	return ""
}

// errorCounter counts the lines of a log that are errors.
type errorCounter struct {
	to     io.Writer
	errors atomic.Int64
}

func (c *errorCounter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("level=ERROR")) {
		c.errors.Add(1)
	}
	return c.to.Write(line)
}

// join makes the Cluster and its credentials on the hub.
func (w *world) join(name string) {
	w.t.Helper()
	if *mode == "pull" {
		w.register(name)
		return
	}
	w.credentials(name, w.cables[name].host(), w.account(name), w.planes[name].Config().CAData)
	w.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}},
		Spec: v1alpha1.ClusterSpec{
			APIEndpoint: w.cables[name].host(), SecretRef: &v1alpha1.SecretRef{Namespace: w.namespace, Name: name},
		},
	})
}

// credentials makes the Secret of a Cluster, for one server.
func (w *world) credentials(cluster, server, token string, bundle []byte) {
	w.t.Helper()
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: cluster}, Type: clusters.SecretType,
		Data: map[string][]byte{
			clusters.ClusterKey: []byte(cluster), clusters.ServerKey: []byte(server), clusters.TokenKey: []byte(token), clusters.CABundleKey: bundle,
		},
	})
}

func (w *world) create(obj client.Object) {
	w.t.Helper()
	require.NoError(w.t, w.hub.Create(w.t.Context(), obj))
}

// federation declares one Federation on a new repository.
func (w *world) federation(name string) *repository {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	w.declare(r, func(*v1alpha1.FederationSpec) {})
	return r
}

// declare declares the Federation of a repository, changed by change.
func (w *world) declare(r *repository, change func(*v1alpha1.FederationSpec)) {
	w.t.Helper()
	w.follow(r, r.federation)
	fed := &v1alpha1.Federation{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: r.federation},
		Spec: v1alpha1.FederationSpec{
			Prune:    true,
			Interval: metav1.Duration{Duration: time.Second},
			Sources:  []v1alpha1.Source{r.source("main")},
		},
	}
	change(&fed.Spec)
	w.create(fed)
}

// follow has the rights on the members follow what is pushed to a source of a Federation.
func (w *world) follow(r *repository, federation string) {
	w.t.Helper()
	r.federation, r.pushing = federation, w.grant
	w.rights.repositories = append(w.rights.repositories, r)
	w.grant()
}

// declared reads the Federation of a repository.
func (w *world) declared(r *repository) *v1alpha1.Federation {
	w.t.Helper()
	fed := &v1alpha1.Federation{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation}, fed))
	return fed
}

// federated is a FederatedObject of a repository's Federation, by the name of its template.
func (w *world) federated(r *repository, name string) (*v1alpha1.FederatedObject, error) {
	w.t.Helper()
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(w.t, w.hub.List(w.t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.FederationLabel: r.federation}))
	for i := range list.Items {
		if list.Items[i].Spec.Template.Name == name {
			return &list.Items[i], nil
		}
	}
	return nil, fmt.Errorf("%s is not among %d", name, len(list.Items))
}

// eventually fails the test with the last error if check does not succeed in time.
func (w *world) eventually(what string, check func() error) {
	w.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	w.t.Fatalf("%s: %v", what, err)
}

// release reads the Release of one commit.
func (w *world) release(r *repository, sha string) (*v1alpha1.Release, error) {
	release := &v1alpha1.Release{}
	key := client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-" + sha[:12]}
	return release, w.hub.Get(w.t.Context(), key, release)
}

// ready waits until the Release of a commit is Ready, by kubectl wait's rule.
func (w *world) ready(r *repository, sha string) *v1alpha1.Release {
	w.t.Helper()
	return w.condition(r, sha, "Ready", metav1.ConditionTrue, "")
}

// condition waits until a Release says so; an empty reason is any.
func (w *world) condition(r *repository, sha, kind string, status metav1.ConditionStatus, reason string) *v1alpha1.Release {
	w.t.Helper()
	var release *v1alpha1.Release
	w.eventually(fmt.Sprintf("%s of %s to be %s/%s", kind, sha[:12], status, reason), func() (err error) {
		if release, err = w.release(r, sha); err != nil {
			return err
		}
		c := apimeta.FindStatusCondition(release.Status.Conditions, kind)
		if c == nil || c.Status != status || c.ObservedGeneration < release.Generation || reason != "" && c.Reason != reason {
			return fmt.Errorf("conditions are %+v", release.Status.Conditions)
		}
		return nil
	})
	return release
}

// object reads an object of a member.
func (w *world) object(cluster string, obj client.Object, namespace, name string) error {
	return w.members[cluster].Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, obj)
}

// configMap reads one that must be there.
func (w *world) configMap(cluster, name string) *corev1.ConfigMap {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	require.NoError(w.t, w.object(cluster, cm, "shop", name), cluster)
	return cm
}

// absent says whether a ConfigMap is not there.
func (w *world) absent(cluster, name string) bool {
	w.t.Helper()
	err := w.object(cluster, &corev1.ConfigMap{}, "shop", name)
	require.NoError(w.t, client.IgnoreNotFound(err))
	return apierrors.IsNotFound(err)
}

// delivery of a federation on one cluster.
func (w *world) delivery(r *repository, cluster string) *v1alpha1.Delivery {
	w.t.Helper()
	d := &v1alpha1.Delivery{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-" + cluster}, d))
	return d
}

// inventory is the list of the delivered objects on the hub.
func (w *world) inventory(r *repository, cluster string) []string {
	w.t.Helper()
	var all []string
	w.eventually("the inventory of "+cluster+" to be complete", func() error { // accord may write between the two reads
		var parts v1alpha1.InventoryList
		require.NoError(w.t, w.hub.List(w.t.Context(), &parts, client.InNamespace(w.namespace),
			client.MatchingLabels{v1alpha1.FederationLabel: r.federation, v1alpha1.ClusterLabel: cluster}))
		var of []*v1alpha1.Inventory
		for i := range parts.Items {
			of = append(of, &parts.Items[i])
		}
		d := w.delivery(r, cluster)
		read, err := inventory.Read(d, of)
		all = read.Entries()
		return cmp.Or(err, unless(len(all) >= int(d.Status.InventoryCount), fmt.Sprint(d.Status.InventoryCount, all)))
	})
	return all
}

// configMap is the manifest of one.
func configMap(name, value string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata:
  namespace: shop
  name: %s
data:
  key: %q
`, name, value)
}

// policyFor sends all ConfigMaps of namespace shop to some clusters; more is appended to the spec.
func policyFor(name string, clusters []string, more string) string {
	return fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  namespace: shop
  name: %s
spec:
  resourceSelectors:
  - apiVersion: v1
    kind: ConfigMap
  placement:
    clusterAffinity:
      clusterNames: [%s]
%s`, name, strings.Join(clusters, ", "), more)
}
