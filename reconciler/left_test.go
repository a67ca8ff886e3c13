package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// TestClustersLeave removes clusters in every way there is. What they had is written down before they are gone, and
// nothing on them is touched.
func TestClustersLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	resting := w.federation("resting")
	w.ready(resting, resting.push("for cluster-b", "app.yaml", configMap("resting", "1"), "policy.yaml", policyFor("resting", []string{"cluster-b"}, "")))
	w.suspend(resting, true)
	r := w.federation("leaving")
	w.ready(r, r.push("for all", "app.yaml", configMap("shared", "1"), "policy.yaml", policyFor("shared", both, "")))
	for _, c := range both {
		require.Contains(t, w.cluster(c).Finalizers, v1alpha1.RecordRemovalFinalizer, "it has something")
	}
	for _, stage := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"it answers, and somebody else keeps its Cluster for a while", func(t *testing.T, w *world, r *repository) { leavesSlowly(t, w, r, resting) }},
		{"it comes back", func(t *testing.T, w *world, r *repository) { comesBack(t, w, r, resting) }},
		{"it answers nobody", leavesUnheard},
		{"nothing was delivered to it", leavesEmpty},
		{"Git declares it, and does not any more", leavesGitForGood},
		{"nobody is at work", func(t *testing.T, w *world, r *repository) { leavesUnattended(t, w, r, resting) }},
	} {
		require.True(t, t.Run(stage.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			stage.run(t, &inner, r)
		}), "what follows builds on it")
	}
}

// leavesSlowly: hands are off from the moment on in which the Cluster is deleted, not only when it is gone.
func leavesSlowly(t *testing.T, w *world, r, resting *repository) {
	before := w.configMap("cluster-b", "shared").UID
	inventory := w.inventory(r, "cluster-b")
	require.NotEmpty(t, inventory)
	b := w.cluster("cluster-b")
	b.Finalizers = append(b.Finalizers, "example.com/others")
	require.NoError(t, w.hub.Update(t.Context(), b))
	deleted := time.Now().Truncate(time.Second)
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("cluster-b")))
	w.eventually("accord's finalizer to go", func() error {
		now := w.cluster("cluster-b").Finalizers
		return unless(!slices.Contains(now, v1alpha1.RecordRemovalFinalizer), fmt.Sprint(now))
	})
	for _, of := range []*repository{r, resting} { // by then it is written down: nothing has to be waited for
		left := w.leftOf(of, "cluster-b")
		require.NotNil(t, left, of.federation)
		require.True(t, left.Reachable)
		require.NotNil(t, left.LastProbeTime)
		require.WithinRange(t, left.Since.Time, deleted, time.Now())
	}
	left := w.leftOf(r, "cluster-b")
	require.EqualValues(t, len(inventory), left.ObjectCount)
	require.ElementsMatch(t, titles(t, inventory), left.Objects)
	require.Contains(t, left.Objects, "ConfigMap shop/shared")
	for _, of := range []*repository{r, resting} {
		w.eventually("people to be told once", func() error {
			return w.told(of, "Federation", "Warning ClusterRemoved", 1, "cluster-b", "ConfigMap shop/")
		})
	}

	w.eventually("its Delivery to go", func() error { return w.noDelivery(r, "cluster-b") })
	release := w.ready(r, r.push("while its Cluster is kept", "app.yaml", configMap("shared", "2")))
	require.EqualValues(t, 1, release.Status.Summary.Total, "it does not count any more")
	require.Equal(t, before, w.configMap("cluster-b", "shared").UID, "nothing is deleted there")
	require.Equal(t, "1", w.configMap("cluster-b", "shared").Data["key"], "nothing is changed there")

	b = w.cluster("cluster-b")
	require.Equal(t, []string{"example.com/others"}, b.Finalizers, "that of others is left alone")
	b.Finalizers = nil
	require.NoError(t, w.hub.Update(t.Context(), b))
	w.goes("cluster-b")
	require.Equal(t, left, w.leftOf(r, "cluster-b"))

	since := w.leftOf(resting, "cluster-b").Since // each Federation notes its own time
	for _, forget := range []struct {
		until  string
		listed bool
	}{{"yesterday", true}, {since.Add(-time.Second).Format(time.RFC3339), true}, {since.Format(time.RFC3339), false}} {
		w.patch(resting, func(fed *v1alpha1.Federation) {
			fed.Annotations = map[string]string{v1alpha1.AcknowledgeRemovedAnnotation: forget.until, v1alpha1.RequestedAtAnnotation: forget.until}
		})
		w.eventually("the annotation to be seen", func() error {
			got := w.declared(resting).Status.LastHandledReconcileAt
			return unless(got == forget.until, got)
		})
		require.Equal(t, forget.listed, w.leftOf(resting, "cluster-b") != nil, forget.until)
	}
	w.eventually("the mistake to be told", func() error {
		return w.told(resting, "Federation", "Warning InvalidAnnotation", 1, "accord.dev/acknowledge-removed-clusters", `"yesterday"`)
	})
}

func comesBack(t *testing.T, w *world, r, resting *repository) {
	w.rejoin("cluster-b")
	for _, of := range []*repository{r, resting} {
		w.eventually(of.federation+" to have it back", func() error {
			left := w.leftOf(of, "cluster-b")
			return unless(left == nil, fmt.Sprintf("%+v", left))
		})
	}
	w.eventually("b to catch up", func() error {
		got := w.configMap("cluster-b", "shared").Data["key"]
		return unless(got == "2", got)
	})
	w.eventually("it to have the finalizer again", func() error {
		now := w.cluster("cluster-b").Finalizers
		return unless(slices.Contains(now, v1alpha1.RecordRemovalFinalizer), fmt.Sprint(now))
	})
}

func leavesUnheard(t *testing.T, w *world, r *repository) {
	w.eventually("all to be well", func() error {
		fed := w.declared(r)
		return unless(fed.Status.Summary.Healthy == 2, fed.Status.Summary.Display)
	})
	if *mode == "pull" {
		w.cables["cluster-b"].setCut(true)
		defer w.cables["cluster-b"].setCut(false)
	} else {
		w.reconnectTo("cluster-b", blackHole(t), nil)
	}
	w.lost("cluster-b")
	begun := time.Now()
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("cluster-b")))
	w.goes("cluster-b")
	require.Less(t, time.Since(begun), 30*time.Second, "it waits for nothing that a cluster says")
	left := w.leftOf(r, "cluster-b")
	require.NotNil(t, left)
	require.False(t, left.Reachable)
	require.NotNil(t, left.LastProbeTime)
	require.Contains(t, left.Objects, "ConfigMap shop/shared")
	w.eventually("its Delivery to go", func() error { return w.noDelivery(r, "cluster-b") })
	require.Equal(t, "2", w.configMap("cluster-b", "shared").Data["key"], "nothing is deleted there")
}

func leavesEmpty(t *testing.T, w *world, r *repository) {
	w.joinAt("unused", "https://"+freeAddress(t), nil)
	w.clusterIs("unused", metav1.ConditionFalse, "")
	sha := r.push("not for everyone", "policy.yaml", policyFor("shared", []string{"cluster-a", "cluster-b"}, ""))
	w.ready(r, sha)
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("unused")))
	w.goes("unused")
	require.Nil(t, w.leftOf(r, "unused"))
}

// leavesGitForGood has cluster-a move to Git, which first makes it leave, and come back.
func leavesGitForGood(t *testing.T, w *world, r *repository) {
	a := w.cluster("cluster-a")
	spec := fmt.Sprintf("  apiEndpoint: %s\n  secretRef: {namespace: %s, name: cluster-a}\n", a.Spec.APIEndpoint, w.namespace)
	if *mode == "pull" {
		spec = "  syncMode: Pull\n"
	}
	inGit := strings.ReplaceAll(clusterInGit("cluster-a", "prod", "eu"), "spec:\n", "spec:\n"+spec)
	w.ready(r, r.push("a is declared", "clusters.yaml", inGit))
	require.NoError(t, w.hub.Delete(t.Context(), a))
	w.eventually("Git to declare it again", func() error {
		now := &v1alpha1.Cluster{}
		err := w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-a"}, now)
		return unless(err == nil && now.UID != a.UID, fmt.Sprint(err, now.DeletionTimestamp))
	})
	w.eventually("it to be back", func() error {
		left := w.leftOf(r, "cluster-a")
		return unless(left == nil, fmt.Sprintf("%+v", left))
	})
	w.ready(r, r.push("it is delivered to", "app.yaml", configMap("shared", "3")))
	before := w.configMap("cluster-a", "shared")
	require.Equal(t, "3", before.Data["key"])

	r.push("a is not declared any more", "clusters.yaml", "", "app.yaml", configMap("shared", "4"))
	w.goes("cluster-a")
	left := w.leftOf(r, "cluster-a")
	require.NotNil(t, left)
	require.True(t, left.Reachable)
	require.Contains(t, left.Objects, "ConfigMap shop/shared")
	require.Equal(t, before.UID, w.configMap("cluster-a", "shared").UID, "nothing is deleted there")
	require.Equal(t, "3", w.configMap("cluster-a", "shared").Data["key"])
}

// leavesUnattended: the Cluster waits until there is somebody to write down what stays, and is seen off before any plan is
// made. It is the last part: the controllers end with it.
func leavesUnattended(t *testing.T, w *world, r, resting *repository) {
	w.rejoin("cluster-b")
	for _, of := range []*repository{r, resting} {
		w.eventually(of.federation+" to have it back", func() error {
			return unless(w.leftOf(of, "cluster-b") == nil, "it is still listed")
		})
	}
	w.eventually("b to catch up", func() error {
		got := w.configMap("cluster-b", "shared").Data["key"]
		return unless(got == "4", got)
	})
	w.eventually("it to have the finalizer", func() error {
		now := w.cluster("cluster-b").Finalizers
		return unless(slices.Contains(now, v1alpha1.RecordRemovalFinalizer), fmt.Sprint(now))
	})
	w.stop()
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("cluster-b")))
	require.NotNil(t, w.cluster("cluster-b").DeletionTimestamp, "nobody lets it go")
	w.run()
	w.goes("cluster-b")
	for _, of := range []*repository{r, resting} {
		require.NotNil(t, w.leftOf(of, "cluster-b"), of.federation)
	}
	require.Equal(t, "4", w.configMap("cluster-b", "shared").Data["key"], "nothing is deleted there")
}

// rejoin declares a member again that was joined before, as it was then.
func (w *world) rejoin(name string) {
	w.t.Helper()
	if *mode == "pull" {
		w.declarePull(name)
		return
	}
	secret := &corev1.Secret{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, secret))
	secret.Data[clusters.ServerKey] = []byte(w.cables[name].host())
	require.NoError(w.t, w.hub.Update(w.t.Context(), secret))
	w.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}},
		Spec: v1alpha1.ClusterSpec{
			APIEndpoint: w.cables[name].host(), SecretRef: &v1alpha1.SecretRef{Namespace: w.namespace, Name: name},
		},
	})
}

// TestClusterOfAnotherReplicaLeaves: who leads writes down what stays on a cluster that it is not connected to.
func TestClusterOfAnotherReplicaLeaves(t *testing.T) {
	t.Parallel()
	w := newReplicas(t, 3)
	r := w.federation("prod")
	w.everywhere(r, "0")
	w.shared()
	w.everywhere(r, "1")
	held := w.heldBut(w.leader(r))
	c := w.cluster(held)
	require.Contains(t, c.Finalizers, v1alpha1.RecordRemovalFinalizer)
	inventory, before := w.inventory(r, held), len(w.writes.of(held, "app", "1"))
	require.NoError(t, w.hub.Delete(t.Context(), c))
	w.goes(held)
	left := w.leftOf(r, held)
	require.NotNil(t, left)
	require.ElementsMatch(t, titles(t, inventory), left.Objects)
	require.True(t, left.Reachable)
	w.eventually("its Delivery to go", func() error { return w.noDelivery(r, held) })

	w.clusters = slices.DeleteFunc(w.clusters, func(name string) bool { return name == held })
	w.everywhere(r, "2")
	require.Equal(t, "1", w.configMap(held, "app").Data["key"], "nobody writes there")
	require.Equal(t, before, len(w.writes.of(held, "app", "1")), "not even what it has")
	require.Empty(t, w.writes.of(held, "app", "2"))

	w.create(&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: held, Labels: c.Labels}, Spec: c.Spec})
	w.clusters = append(w.clusters, held)
	w.everywhere(r, "3")
	w.eventually("it to be back", func() error { return unless(w.leftOf(r, held) == nil, "it is still listed") })
}

// goes waits until a Cluster is gone.
func (w *world) goes(cluster string) {
	w.t.Helper()
	w.eventually("Cluster "+cluster+" to go", func() error {
		c := &v1alpha1.Cluster{}
		err := w.hub.Get(w.t.Context(), client.ObjectKey{Name: cluster}, c)
		return unless(apierrors.IsNotFound(err), fmt.Sprint(err, c.Finalizers))
	})
}

// leftOf is what a Federation says of a cluster that left; nil when it says nothing.
func (w *world) leftOf(r *repository, cluster string) *v1alpha1.RemovedCluster {
	w.t.Helper()
	left := w.declared(r).Status.RemovedClusters
	i := slices.IndexFunc(left, func(c v1alpha1.RemovedCluster) bool { return c.Cluster == cluster })
	if i < 0 {
		return nil
	}
	return &left[i]
}

// titles are entries of an inventory as people write them.
func titles(t *testing.T, inventory []string) []string {
	var all []string
	for _, entry := range inventory {
		id, err := manifest.ParseEntry(entry)
		require.NoError(t, err)
		all = append(all, id.String())
	}
	return all
}
