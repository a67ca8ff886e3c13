package reconciler_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/agent"
)

// pulls has a cluster in pull mode, beside one that the hub reaches.
type pulls struct {
	*world
	serving, acting func() // end the aggregated API server, and the agent
	cacheDir        string
}

// act runs the agent of cluster-b.
func (w *pulls) act() {
	w.t.Helper()
	w.actWith(w.config, w.logger())
}

// actAway runs the agent with a hub that does not answer, and returns its log.
func (w *pulls) actAway() *lines {
	w.t.Helper()
	away, log := rest.CopyConfig(w.config), &lines{}
	away.Host = "https://" + freeAddress(w.t)
	w.actWith(away, slog.New(slog.NewTextHandler(io.MultiWriter(w.t.Output(), log), nil)))
	return log
}

func (w *pulls) actWith(hub *rest.Config, log *slog.Logger) {
	w.t.Helper()
	w.acting = w.agent(agent.Options{Cluster: "cluster-b", Hub: hub, Local: w.planes["cluster-b"].Config(), CacheDir: w.cacheDir, Tunnel: true, Log: log})
}

// TestPullMode follows a cluster whose agent fetches its bundle. The hub has no credentials of it.
func TestPullMode(t *testing.T) {
	t.Parallel()
	w := &pulls{world: newWorld(t, 2), cacheDir: t.TempDir()}
	w.require(w.hub.Delete(t.Context(), w.cluster("cluster-b")))
	w.require(w.hub.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "cluster-b"}}))
	w.goes("cluster-b")
	w.declarePull("cluster-b")
	w.node("cluster-a", "large", "8", "64Gi")
	w.node("cluster-b", "large", "8", "64Gi")
	w.serving = w.serve()
	w.act()
	w.clusterIs("cluster-b", metav1.ConditionTrue, "")

	w.tunnels()
	r := w.federation("pull")
	everywhere := policyOf("placed", "clusterNames: [cluster-a, cluster-b]")
	w.ready(r, r.push("to both", "app.yaml", configMap("placed", "1"), "policy.yaml", everywhere))
	require.Equal(t, "1", w.configMap("cluster-b", "placed").Data["key"])
	require.Equal(t, "agent:cluster-b", w.reporter(r, "cluster-b"))

	w.ready(r, r.push("another value", "app.yaml", configMap("placed", "2")))
	require.Equal(t, "2", w.configMap("cluster-b", "placed").Data["key"])

	t.Run("a suspended Federation is left alone", func(*testing.T) {
		sha := r.push("the same, under suspension", "note.md", "suspended")
		w.ready(r, sha)
		w.suspend(r, true)
		w.federationIs(r, "Suspended", metav1.ConditionTrue, "Suspended")
		w.eventually("the agent to know", func() error { return unless(w.bundled("cluster-b", `"suspend":true`), "its bundle does not say so") })
		w.eventually("a deletion that stays, and is reported", func() error { // the agent may repair once more before it has the bundle
			if !w.absent("cluster-b", "placed") {
				w.require(w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "placed")))
			}
			release, err := w.release(r, sha)
			w.require(err)
			ready := apimeta.FindStatusCondition(release.Status.Conditions, "Ready")
			return unless(ready != nil && ready.Reason == "Suspended", fmt.Sprint(ready))
		})
		w.asked(r, v1alpha1.RequestedAtAnnotation, "while it is suspended")
		require.True(t, w.absent("cluster-b", "placed"))
		w.suspend(r, false)
		w.eventually("it to be there again", func() error { return unless(!w.absent("cluster-b", "placed"), "it is absent") })
		w.ready(r, sha)
	})

	t.Run("drift is repaired while the hub is away", func(*testing.T) {
		w.serving()
		w.stop()
		w.drifts()
		w.repaired("2")

		w.acting()
		w.drifts()
		log := w.actAway()
		w.repaired("2")
		require.NoError(t, log.has("executing the bundle that was kept"))

		w.acting()
		w.tamper()
		w.drifts()
		log = w.actAway()
		w.eventually("a refusal", func() error { return log.has("cannot use the kept bundle") })
		w.eventually("an attempt to reach the hub", func() error { return log.has("cannot take over a bundle") })
		require.Equal(t, "changed", w.configMap("cluster-b", "placed").Data["key"], "a damaged bundle is executed")

		w.acting()
		w.act()
		w.run()
		w.serving = w.serve()
		w.ready(r, r.push("the hub is back", "app.yaml", configMap("placed", "3")))
		require.Equal(t, "3", w.configMap("cluster-b", "placed").Data["key"])
		w.tunnels()
	})

	t.Run("an agent that starts again writes nothing", func(*testing.T) {
		before := w.configMap("cluster-b", "placed").ResourceVersion
		w.acting()
		w.act()
		w.eventually("a report of the new agent", func() error {
			return unless(w.configMap("cluster-b", "placed").ResourceVersion == before, "it was written again")
		})
		w.ready(r, r.push("the agent is back", "more.yaml", configMap("more", "1"), "more-policy.yaml", policyOf("more", "clusterNames: [cluster-b]")))
		require.Equal(t, before, w.configMap("cluster-b", "placed").ResourceVersion)
		require.False(t, w.absent("cluster-b", "more"))
	})

	t.Run("an object that leaves Git leaves the cluster", func(*testing.T) {
		w.ready(r, r.push("one less", "more.yaml", "", "more-policy.yaml", ""))
		w.eventually("it to go", func() error { return unless(w.absent("cluster-b", "more"), "it is there") })
		require.False(t, w.absent("cluster-b", "placed"))
	})

	t.Run("the agent counts the replicas that its cluster cannot schedule", func(t *testing.T) {
		w.applied(r, r.push("a policy that depends on room", "web.yaml", web(2), "web-policy.yaml", byRoom))
		w.eventually("the hub to ask for the room", func() error {
			return unless(apimeta.FindStatusCondition(w.cluster("cluster-b").Status.Conditions, v1alpha1.ResourceSummaryAvailable) != nil, "it has not asked")
		})
		w.acting() // one that runs looks for requests every minute
		w.act()
		w.eventually("the room", func() error { return unless(w.cluster("cluster-b").Status.ResourceSummary != nil, "it is not known") })
		w.applied(r, r.push("replicas divided by room", "web.yaml", web(8)))
		w.unschedulableMove(r, "cluster-b", "cluster-a")()
	})

	t.Run("the replica with the tunnel is killed", func(*testing.T) { w.replicas(r) })
}

// replicas runs two replicas as processes in place of the controllers of this one. The first one leads and has the tunnel, and the hub
// sends requests to the second one.
func (w *pulls) replicas(r *repository) {
	w.t.Helper()
	w.serving()
	w.stop()
	process := func(name string) victim {
		before := w.port()
		v := start(w.t, w.t.Output(), killableEnv+"="+w.planes["hub"].Kubeconfig(), killableEnv+"_CACHE="+w.t.TempDir(), replicaEnv+"="+name, apiEnv+"=true", quickEnv+"=true")
		w.eventually("replica "+name+" to register", func() error { return unless(w.port() != before, "it has not") })
		return v
	}
	w.acting()
	first := process("one")
	w.act() // its back-off begins again
	w.tunnels()
	w.ready(r, r.push("with one replica", "app.yaml", configMap("placed", "4"), "web.yaml", "", "web-policy.yaml", ""))
	process("two")
	w.tunnels()
	w.ready(r, r.push("with two replicas", "app.yaml", configMap("placed", "5")))
	require.Equal(w.t, "5", w.configMap("cluster-b", "placed").Data["key"])

	killed := time.Now()
	first.kill(w.t)
	w.tunnels()
	require.Less(w.t, time.Since(killed), 10*time.Second)
	w.ready(r, r.push("with the other replica", "app.yaml", configMap("placed", "6")))
	require.Equal(w.t, "6", w.configMap("cluster-b", "placed").Data["key"])
}

// bundled reports whether the index of the bundle of a cluster contains a text.
func (w *pulls) bundled(cluster, text string) bool {
	w.t.Helper()
	index, there := w.bundles.Index(cluster)
	return there && strings.Contains(string(index.Text()), text)
}

// port returns the port to which the hub sends requests for bundles; 0 before accord has registered.
func (w *pulls) port() int64 {
	w.t.Helper()
	service := &unstructured.Unstructured{}
	service.SetAPIVersion("apiregistration.k8s.io/v1")
	service.SetKind("APIService")
	w.require(client.IgnoreNotFound(w.hub.Get(w.t.Context(), client.ObjectKey{Name: "v1alpha1.delivery.accord.dev"}, service)))
	port, _, _ := unstructured.NestedInt64(service.Object, "spec", "service", "port")
	return port
}

// drifts has somebody change the object on cluster-b, and repaired waits until the agent has put it right.
func (w *pulls) drifts() {
	w.t.Helper()
	cm := w.configMap("cluster-b", "placed")
	cm.Data["key"] = "changed"
	w.require(w.members["cluster-b"].Update(w.t.Context(), cm, client.FieldOwner("kubectl-edit")))
}

func (w *pulls) repaired(value string) {
	w.t.Helper()
	w.eventually("the repair", func() error {
		got := w.configMap("cluster-b", "placed").Data["key"]
		return unless(got == value, got)
	})
}

// tamper changes the contents that the agent keeps.
func (w *pulls) tamper() {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.cacheDir, "bundle", strings.Repeat("?", 64)))
	w.require(err)
	require.NotEmpty(w.t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		w.require(err)
		w.require(os.WriteFile(f, []byte(strings.Replace(string(text), `"key":"2"`, `"key":"9"`, 1)), 0o600))
	}
}

// tunnels waits until a user of the hub reaches the API server of cluster-b, which knows the user and gives no rights to it.
func (w *pulls) tunnels() {
	w.t.Helper()
	cfg := rest.CopyConfig(w.config)
	cfg.Host += "/apis/cluster.karmada.io/v1alpha1/clusters/cluster-b/proxy"
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: []string{"system:masters"}}
	c, err := kubernetes.NewForConfig(cfg)
	require.NoError(w.t, err)
	w.eventually("the tunnel", func() error {
		_, err := c.CoreV1().Pods("default").List(w.t.Context(), metav1.ListOptions{})
		return unless(err != nil && strings.Contains(err.Error(), `User "alice" cannot list resource "pods"`), fmt.Sprint(err))
	})
}

// require fails the test for an error.
func (w *pulls) require(err error) {
	w.t.Helper()
	require.NoError(w.t, err)
}

// reporter returns the replica that reported on a cluster last.
func (w *pulls) reporter(r *repository, cluster string) string {
	w.t.Helper()
	report := &v1alpha1.DeliveryReport{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-" + cluster}, report))
	return report.Status.Replica
}
