package reconciler_test

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A restart with everything in place reads, and writes nothing to any member.
func TestARestartWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	r := w.federation("restart")
	sha := r.push("ten objects", append(manyConfigMaps(10), "policy.yaml", policyFor("restart", both, ""))...)
	w.ready(r, sha)
	w.stop()
	before := w.configMapWrites()

	w.run()
	// A hand-made change that is repaired proves that the new process has gone through its loops.
	edited := w.configMap("cluster-a", "many-3")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited))
	w.eventually("the change to be repaired", func() error {
		return unless(w.configMap("cluster-a", "many-3").Data["key"] == "1", "not repaired")
	})
	require.Equal(t, before+2, w.configMapWrites(), "the hand-made change and its repair are all that was written")
	w.ready(r, sha)
	if *mode != "pull" { // the report of an agent has the inventory, too, and accord has no credentials of its cluster
		lostInventory(t, w, r)
		liveCluster(t, w)
	}
}

// lostInventory: a part of the inventory is missing at the start. Nothing is written to the cluster until the part is back, or
// until somebody deletes the Delivery.
func lostInventory(t *testing.T, w *world, r *repository) {
	recorded := w.inventory(r, "cluster-a")
	w.stop()
	part := &v1alpha1.Inventory{}
	key := client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-cluster-a-0"}
	require.NoError(t, w.hub.Get(t.Context(), key, part))
	require.Equal(t, recorded, part.Spec.Entries)
	require.NoError(t, w.hub.Delete(t.Context(), part))
	gone := r.push("eight objects", "many/7.yaml", "", "many/8.yaml", "")
	w.run()
	refused := func() error {
		message := fmt.Sprint(w.delivery(r, "cluster-a").Status.Conditions)
		return unless(strings.Contains(message, "the inventory of Delivery "+w.namespace+"/"+r.federation+"-cluster-a cannot be read"), message)
	}
	w.eventually("the error", refused)
	w.eventually("the other cluster to have the commit", func() error { return unless(w.absent("cluster-b", "many-7"), "it is there") })
	require.False(t, w.absent("cluster-a", "many-7"), "nothing is pruned")
	require.EqualValues(t, len(recorded), w.delivery(r, "cluster-a").Status.InventoryCount, "it is still known that there was one")

	restored := &v1alpha1.Inventory{ObjectMeta: metav1.ObjectMeta{Namespace: part.Namespace, Name: part.Name, Labels: part.Labels, OwnerReferences: part.OwnerReferences}, Spec: part.Spec}
	require.NoError(t, w.hub.Create(t.Context(), restored))
	w.ready(r, gone)
	require.True(t, w.absent("cluster-a", "many-7"))

	w.stop()
	restored.ResourceVersion = ""
	require.NoError(t, w.hub.Get(t.Context(), key, restored))
	restored.Spec.Entries = restored.Spec.Entries[1:]
	require.NoError(t, w.hub.Update(t.Context(), restored, client.FieldOwner("somebody")))
	again := r.push("seven objects", "many/6.yaml", "")
	w.run()
	w.eventually("the error", refused)
	require.False(t, w.absent("cluster-a", "many-6"), "nothing is pruned")
	require.NoError(t, w.hub.Delete(t.Context(), w.delivery(r, "cluster-a")))
	w.ready(r, again)
	require.True(t, w.absent("cluster-a", "many-6"), "the cluster was asked for its objects")
	require.Equal(t, w.inventory(r, "cluster-b"), w.inventory(r, "cluster-a"))
}

// The controllers are killed while they deliver, and started again: everything arrives.
func TestKilledWhileDelivering(t *testing.T) {
	t.Parallel()
	const objects = 400
	w := newWorld(t, 2)
	w.stop()
	r := w.federation("killed")
	sha := r.push("many objects", append(manyConfigMaps(objects), "policy.yaml", policyFor("killed", both, ""))...)

	victim := start(t, t.Output(), killableEnv+"="+w.planes["hub"].Kubeconfig(), killableEnv+"_CACHE="+t.TempDir())
	w.eventually("the delivery to have begun", func() error { return unless(w.count("cluster-a") > 5, "nothing there yet") })
	victim.kill(t)
	require.Less(t, w.count("cluster-a")+w.count("cluster-b"), 2*objects, "it was killed too late to prove anything")

	w.run()
	release := w.ready(r, sha)
	require.EqualValues(t, 2, release.Status.Summary.Healthy)
	require.Equal(t, objects, w.count("cluster-a"))
	require.Equal(t, objects, w.count("cluster-b"))
}

// One member is down: the others finish, the release is not ready, and it catches up on return.
func TestAMemberIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	r := w.federation("down")
	w.ready(r, r.push("all up", "app.yaml", configMap("distant", "1"), "policy.yaml", policyFor("down", both, "")))

	w.cables["cluster-b"].setCut(true)
	sha := r.push("one down", "app.yaml", configMap("distant", "2"))
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	require.EqualValues(t, 1, release.Status.Summary.Healthy)
	require.EqualValues(t, 1, release.Status.Summary.Unreachable)
	require.Equal(t, "2", w.configMap("cluster-a", "distant").Data["key"])
	require.Equal(t, "1", w.configMap("cluster-b", "distant").Data["key"])
	w.eventually("the Delivery to say so", func() error {
		c := apimeta.FindStatusCondition(w.delivery(r, "cluster-b").Status.Conditions, "Reachable")
		return unless(c != nil && c.Status == metav1.ConditionFalse, fmt.Sprint(c))
	})

	w.cables["cluster-b"].setCut(false)
	w.ready(r, sha)
	require.Equal(t, "2", w.configMap("cluster-b", "distant").Data["key"])
}

func manyConfigMaps(n int) []string {
	var files []string
	for i := range n {
		files = append(files, fmt.Sprintf("many/%d.yaml", i), configMap(fmt.Sprintf("many-%d", i), "1"))
	}
	return files
}

// count is how many ConfigMaps of ours a member has.
func (w *world) count(cluster string) int {
	w.t.Helper()
	list := &corev1.ConfigMapList{}
	require.NoError(w.t, w.members[cluster].List(w.t.Context(), list, client.InNamespace("shop"), client.HasLabels{"applyset.kubernetes.io/part-of"}))
	return len(list.Items)
}

var requestLine = regexp.MustCompile(`^apiserver_request_total\{.*resource="configmaps".*verb="(APPLY|PATCH|POST|PUT|DELETE)".*\} (\S+)$`)

// configMapWrites is how many requests that write ConfigMaps all API servers of this process have counted: they share
// their metrics.
func (w *world) configMapWrites() int {
	w.t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(w.config)
	require.NoError(w.t, err)
	metrics, err := d.RESTClient().Get().AbsPath("/metrics").DoRaw(w.t.Context())
	require.NoError(w.t, err)
	total := 0.0
	for lines := bufio.NewScanner(strings.NewReader(string(metrics))); lines.Scan(); {
		if m := requestLine.FindStringSubmatch(lines.Text()); m != nil {
			n, err := strconv.ParseFloat(m[2], 64)
			require.NoError(w.t, err)
			total += n
		}
	}
	return int(total)
}
