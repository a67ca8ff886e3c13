package reconciler_test

import (
	"fmt"
	"maps"
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

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler/replica/lease"
	"github.com/accord-dev/accord/reconciler/store"
)

// TestReplicasShareClusters runs three replicas as processes, and kills them. Whoever holds a cluster delivers there, and nobody
// else; what is said of it all is what one replica would say; no object is applied twice, whatever dies; and nothing is applied before it is assigned.
func TestReplicasShareClusters(t *testing.T) {
	t.Parallel()
	w := newReplicas(t, 3)
	r := w.federation("prod")
	w.everywhere(r, "0") // by whoever came first
	w.shared()
	w.everywhere(r, "1")

	t.Log("each delivers to the clusters that it holds")
	w.delivered(r, "1", w.alive()...)

	t.Log("somebody changes an object on a cluster that a follower holds")
	leader := w.leader(r)
	held := w.heldBut(leader)
	cm := w.configMap(held, "app")
	cm.Data["key"] = "theirs"
	require.NoError(t, w.members[held].Update(t.Context(), cm, client.FieldOwner("kubectl-edit")))
	w.eventually("the drift to be repaired", func() error {
		return unless(w.configMap(held, "app").Data["key"] == "1", "it is not")
	})
	w.eventually("the drift to be told", func() error {
		d := w.delivery(r, held)
		return unless(apimeta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.Drifted) && apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready"), fmt.Sprintf("%+v", d.Status.Conditions))
	})
	w.writes.forgive(held)

	t.Log("one that does not lead is killed")
	follower := lease.Owner(held, w.alive())
	w.kill(follower)
	w.everywhere(r, "2")
	w.delivered(r, "2", w.alive()...)

	t.Log("the one that leads is killed")
	w.kill(leader)
	w.everywhere(r, "3")
	w.delivered(r, "3", w.alive()...)

	t.Log("another one comes, and takes what is its own without a write")
	before, next := w.writes.count(), w.newcomer()
	w.replica(next)
	w.eventually("the new one to hold its share", func() error {
		report := &v1alpha1.DeliveryReport{}
		name := slices.IndexFunc(w.clusters, func(c string) bool { return lease.Owner(c, w.alive()) == next })
		err := w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "prod-" + w.clusters[name]}, report)
		if err != nil {
			return err
		}
		return unless(report.Status.Replica == next && report.Status.ApplyResult.Finished && report.Status.Synced, fmt.Sprintf("%+v", report.Status.ApplyResult))
	})
	require.Equal(t, before, w.writes.count())
	w.everywhere(r, "4")
	w.delivered(r, "4", w.alive()...)

	t.Log("Federations are declared again, and want nothing on a cluster that a follower holds")
	w.declaredAgain("again", false)
	w.writes.slowLists(time.Second) // the follower reads what the cluster has while the leader records it
	w.declaredAgain("away", true)
	require.Empty(t, w.writes.byTwo())
}

// declaredAgain declares a Federation without a record on the hub, which wants nothing any more on a cluster that a follower holds. What the
// Federation delivered there leaves, also if the cluster does not answer at the first plan.
func (w *replicas) declaredAgain(name string, away bool) {
	w.t.Helper()
	r := w.federation(name)
	w.ready(r, r.push("on all clusters", "app.yaml", configMap(name, "1"), "policy.yaml", policyFor(name, w.clusters, "")))
	idle := w.heldBut(w.leader(r))
	require.NoError(w.t, w.hub.Delete(w.t.Context(), w.declared(r)))
	if away {
		w.cables[idle].setCut(true)
		w.clusterIs(idle, metav1.ConditionFalse, "")
	}
	w.collectRecords(r)
	rest := slices.DeleteFunc(slices.Clone(w.clusters), func(c string) bool { return c == idle })
	sha := r.push("on the others", "policy.yaml", policyFor(name, rest, ""))
	w.declare(r, func(*v1alpha1.FederationSpec) {})
	w.ready(r, sha)
	w.cables[idle].setCut(false)
	w.eventually("the object to leave "+idle, func() error { return unless(w.absent(idle, name), "it is there") })
	for _, cluster := range rest {
		require.False(w.t, w.absent(cluster, name), "the copy on %s stays", cluster)
	}
}

// replicas is a world whose controllers are several processes.
type replicas struct {
	*world
	clusters  []string
	processes map[string]victim // the zero victim: it was killed
	writes    *writes
	logs      *os.File
	dir       string
	revisions map[string]string // by the value that the commit pushed
}

// newReplicas starts replicas, and enough clusters that each holds one.
func newReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	w := &replicas{
		clusters: []string{"cluster-a", "cluster-b", "cluster-c", "cluster-d"}, processes: map[string]victim{}, writes: &writes{}, dir: t.TempDir(), revisions: map[string]string{},
		world: &world{t: t, namespace: "demo", members: map[string]client.Client{}, cables: map[string]*cable{}, rights: &rights{}},
	}
	w.planes = localtest.Members(t, append([]string{"hub"}, w.clusters...)...)
	w.config = w.planes["hub"].Config()
	w.hub = clientOf(t, w.config)
	w.writes.assigned = func(cluster string) string {
		d := &v1alpha1.Delivery{}
		_ = w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "prod-" + cluster}, d) // none: nothing is assigned
		return d.Spec.Revision
	}
	require.NoError(t, store.Install(t.Context(), w.config))
	for _, name := range []string{w.namespace, "accord-system"} {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, name := range w.clusters {
		w.members[name] = clientOf(t, w.planes[name].Config())
		w.watched(name)
	}
	var err error
	w.logs, err = os.Create(filepath.Join(t.ArtifactDir(), "replicas.log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.logs.Close() })
	for range n {
		w.replica(w.newcomer())
	}
	return w
}

// newcomer is a name for another replica with which each holds a cluster.
func (w *replicas) newcomer() string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("replica-%d", i)
		all := append(w.alive(), name)
		idle := slices.ContainsFunc(all, func(r string) bool {
			return !slices.ContainsFunc(w.clusters, func(c string) bool { return lease.Owner(c, all) == r })
		})
		if _, used := w.processes[name]; !used && !idle { // the reports of one that was killed are still there
			return name
		}
	}
}

// watched joins a cluster through a server that writes down who writes what there.
func (w *replicas) watched(name string) {
	w.t.Helper()
	through := w.writes.server(w.t, name, w.planes[name].Config())
	w.cables[name] = newCable(w.t, through.url)
	endpoint := w.cables[name].host()
	w.credentials(name, endpoint, w.account(name), through.authority)
	w.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}},
		Spec:       v1alpha1.ClusterSpec{APIEndpoint: endpoint, SecretRef: &v1alpha1.SecretRef{Namespace: w.namespace, Name: name}},
	})
}

// replica starts one.
func (w *replicas) replica(name string) {
	w.t.Helper()
	w.processes[name] = start(w.t, prefixed{w.logs, name}, killableEnv+"="+w.planes["hub"].Kubeconfig(),
		killableEnv+"_CACHE="+filepath.Join(w.dir, name), replicaEnv+"="+name)
}

// kill one, with SIGKILL.
func (w *replicas) kill(name string) {
	w.t.Helper()
	w.processes[name].kill(w.t)
	w.processes[name] = victim{}
}

// alive are the names of the replicas that were not killed, sorted.
func (w *replicas) alive() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.processes)), func(name string) bool { return w.processes[name].Cmd == nil })
}

// shared waits until every replica holds its share: all but the one that leads report of their clusters.
func (w *replicas) shared() {
	w.t.Helper()
	w.eventually("the clusters to be shared", func() error {
		var reports v1alpha1.DeliveryReportList
		if err := w.hub.List(w.t.Context(), &reports, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		open := map[string]bool{}
		for _, c := range w.clusters {
			open[lease.Owner(c, w.alive())] = true
		}
		for _, r := range reports.Items {
			if r.Status.Replica == lease.Owner(r.Spec.Cluster, w.alive()) && r.Status.ApplyResult.Finished {
				delete(open, r.Status.Replica)
			}
		}
		return unless(len(open) == 1, fmt.Sprintf("%v", slices.Collect(maps.Keys(open))))
	})
}

// leader is the replica that reports of no cluster to a Federation which it has led since it was declared.
func (w *replicas) leader(r *repository) string {
	w.t.Helper()
	var reports v1alpha1.DeliveryReportList
	require.NoError(w.t, w.hub.List(w.t.Context(), &reports, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.FederationLabel: r.federation}))
	require.NotEmpty(w.t, reports.Items)
	leads := w.alive()
	for _, report := range reports.Items {
		leads = slices.DeleteFunc(leads, func(name string) bool { return name == report.Status.Replica })
	}
	require.Len(w.t, leads, 1)
	return leads[0]
}

// heldBut is a cluster that another replica holds.
func (w *replicas) heldBut(replica string) string {
	w.t.Helper()
	i := slices.IndexFunc(w.clusters, func(c string) bool { return lease.Owner(c, w.alive()) != replica })
	return w.clusters[i]
}

// everywhere pushes a value to all clusters, and waits until that is done.
func (w *replicas) everywhere(r *repository, value string) {
	w.t.Helper()
	began := time.Now()
	files := []string{"policy.yaml", policyFor("prod", w.clusters, "")}
	for _, name := range []string{"app", "more", "rest"} {
		files = append(files, name+".yaml", configMap(name, value))
	}
	release := w.ready(r, r.push("value "+value, files...))
	w.revisions[value] = release.Spec.Revision
	require.EqualValues(w.t, len(w.clusters), release.Status.Summary.Healthy)
	w.t.Logf("value %s was live after %s", value, time.Since(began).Round(time.Millisecond))
	for _, cluster := range w.clusters {
		for _, name := range []string{"app", "more", "rest"} {
			require.Equal(w.t, value, w.configMap(cluster, name).Data["key"], "%s on %s: Ready says that it is there", name, cluster)
		}
	}
	w.eventually("the FederatedObject to be observed", func() error {
		o, err := w.federated(r, "app")
		if err != nil {
			return err
		}
		return unless(o.Status.ObservedGeneration == o.Generation && o.Status.Summary.Healthy == int32(len(w.clusters)), fmt.Sprintf("%+v", o.Status))
	})
}

// delivered checks that each cluster got a value from the one of replicas that holds it, each object once, and that the hub had
// assigned the commit before: the next replica that takes the cluster over would execute what the hub has.
func (w *replicas) delivered(r *repository, value string, replicas ...string) {
	w.t.Helper()
	for _, cluster := range w.clusters {
		holder := lease.Owner(cluster, replicas)
		w.t.Logf("%s is held by %s", cluster, holder)
		for _, name := range []string{"app", "more", "rest"} {
			require.Equal(w.t, []write{{cluster, holder, name, value, w.revisions[value]}}, w.writes.of(cluster, name, value))
		}
	}
}
