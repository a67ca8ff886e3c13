package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/store"
)

// TestNothingIsLostByFederations tries to lose what runs by what can become of Federations.
func TestNothingIsLostByFederations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	for _, cluster := range both { // so that no part has it among its objects, whichever is played first
		require.NoError(t, w.members[cluster].Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}))
	}
	w.play(map[string]func(*testing.T, *world){
		"a Federation is renamed, and nobody does anything about it":  renamed,
		"a Federation is renamed as the documentation says":           relabelled,
		"a Federation is declared again, and wants less":              func(t *testing.T, w *world) { declaredAgain(t, w, "again", false) },
		"a Federation is declared again while a cluster is away":      func(t *testing.T, w *world) { declaredAgain(t, w, "away", true) },
		"an object is deleted by one, and another one has it":         handedOver,
		"an object is released by one, and another one takes it over": releasedObject,
	})
}

// What a Federation does not want any more leaves the clusters, although the hub has no record of it: also one on which it wants nothing now.
func declaredAgain(t *testing.T, w *world, name string, away bool) {
	r := w.federation(name)
	w.ready(r, r.push("on both clusters", "app.yaml", configMap(name, "1"), "policy.yaml", policyFor(name, both, "")))
	before := w.ours(r)
	require.Len(t, before, 2)
	require.NoError(t, w.hub.Delete(t.Context(), w.declared(r)))
	if away {
		w.cables["cluster-b"].setCut(true)
		w.lost("cluster-b")
	}
	w.collectRecords(r)
	sha := r.push("on one cluster", "policy.yaml", policyFor(name, both[:1], ""))
	w.declare(r, func(*v1alpha1.FederationSpec) {})
	w.ready(r, sha)
	w.cables["cluster-b"].setCut(false)
	w.eventually("the object to leave cluster-b", func() error { return unless(w.absent("cluster-b", name), "it is there") })
	delete(before, "cluster-b "+name)
	require.Equal(t, before, w.ours(r), "the other copy was not written")
}

// collectRecords deletes the records of a Federation that is gone, as the garbage collector of a hub does.
func (w *world) collectRecords(r *repository) {
	w.t.Helper()
	for _, kind := range []client.Object{&v1alpha1.Release{}, &v1alpha1.Delivery{}, &v1alpha1.DeliveryReport{}, &v1alpha1.Inventory{}, &v1alpha1.FederatedObject{}} {
		require.NoError(w.t, w.hub.DeleteAllOf(w.t.Context(), kind, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.FederationLabel: r.federation}))
	}
}

// applySet is what marks the objects of a repository's Federation.
func (w *world) applySet(r *repository) string {
	return applyset.ID(w.namespace + "/" + r.federation)
}

// rename deletes the Federation of a repository and declares one of another name.
func (w *world) rename(r *repository, to string) {
	w.t.Helper()
	require.NoError(w.t, w.hub.Delete(w.t.Context(), w.declared(r)))
	r.federation = to
	w.declare(r, func(*v1alpha1.FederationSpec) {})
}

// What an old Federation delivered belongs to it, whether it is there or not: the new one refuses it by name.
func renamed(t *testing.T, w *world) {
	r := w.federation("old")
	sha := r.push("one object", "app.yaml", configMap("renamed", "1"), "policy.yaml", policyFor("renamed", both, "  conflictResolution: Overwrite\n"))
	w.ready(r, sha)
	before := w.ours(r)
	old := *r
	w.rename(r, "new")
	w.eventually("both clusters to refuse it by name", func() error { return w.refusedFor(r, sha, "ConfigMap shop/renamed", "demo/old") })
	require.Equal(t, before, w.ours(&old))
	require.Empty(t, w.ours(r))
}

// refusedFor is nil when both clusters refuse an object because another federation has it.
func (w *world) refusedFor(r *repository, sha, object, owner string) error {
	release, err := w.release(r, sha)
	if err != nil {
		return err
	}
	if release.Status.Summary.Failed != 2 {
		return fmt.Errorf("%+v", release.Status)
	}
	for _, cluster := range both {
		told := fmt.Sprint(w.delivery(r, cluster).Status)
		if !strings.Contains(told, object+" exists and belongs to another ApplySet") || !strings.Contains(told, "that of federation "+owner) {
			return fmt.Errorf("the Delivery to %s says %s", cluster, told)
		}
	}
	return nil
}

// The marks of the old Federation are replaced by those of the new one: docs/concepts/delivery.md.
func relabelled(t *testing.T, w *world) {
	r := w.federation("before")
	sha := r.push("one object", "app.yaml", configMap("relabelled", "1"), "policy.yaml", policyFor("relabelled", both, ""))
	w.ready(r, sha)
	before := w.ours(r)
	old := *r

	require.NoError(t, w.hub.Delete(t.Context(), w.declared(r)))
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, v1alpha1.PartOfLabel, applyset.ID("demo/after"))
	for _, cluster := range both {
		cm := w.configMap(cluster, "relabelled")
		require.NoError(t, w.members[cluster].Patch(t.Context(), cm, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("kubectl-label")))
	}
	r.federation = "after"
	w.declare(r, func(*v1alpha1.FederationSpec) {})
	w.ready(r, sha)
	w.ready(r, r.push("it goes on", "app.yaml", configMap("relabelled", "2")))
	after := w.ours(r)
	require.Len(t, after, 2)
	for object, seen := range before {
		require.Equal(t, seen.uid, after[object].uid, object)
	}
	require.Empty(t, w.ours(&old))

	w.ready(r, r.push("it leaves Git, and another comes", "app.yaml", configMap("relabelled-too", "1")))
	w.eventually("the new Federation to prune it", func() error { return unless(w.absent("cluster-a", "relabelled"), "it is there") })
}

// An object that another federation has is refused by name, until it is gone there.
func handedOver(t *testing.T, w *world) {
	owner, heir := w.federation("owner"), w.federation("heir")
	w.ready(owner, owner.push("two objects", "app.yaml", configMap("handed", "owner"), "other.yaml", configMap("kept", "owner"), "policy.yaml", policyFor("owner", both, "")))
	before := w.ours(owner)
	sha := heir.push("the same object", "app.yaml", configMap("handed", "heir"), "policy.yaml", policyFor("heir", both, ""))
	w.eventually("both clusters to refuse it by name", func() error { return w.refusedFor(heir, sha, "ConfigMap shop/handed", "demo/owner") })
	require.Equal(t, before, w.ours(owner))

	w.ready(owner, owner.push("one object", "app.yaml", ""))
	w.ready(heir, sha)
	for _, cluster := range both {
		require.Equal(t, "heir", w.configMap(cluster, "handed").Data["key"])
		require.Equal(t, "owner", w.configMap(cluster, "kept").Data["key"])
	}
	require.Len(t, w.ours(owner), 2)
	require.Len(t, w.ours(heir), 2)
}

// An object that is to be preserved is let go as it is, and taken over as it is.
func releasedObject(t *testing.T, w *world) {
	owner, heir := w.federation("giver"), w.federation("taker")
	preserve := "  preserveResourcesOnDeletion: true\n"
	w.ready(owner, owner.push("two objects", "app.yaml", configMap("let-go", "1"), "other.yaml", configMap("left", "1"), "policy.yaml", policyFor("giver", both, preserve)))
	before := w.ours(owner)
	sha := heir.push("the same object", "app.yaml", configMap("let-go", "1"), "policy.yaml", policyFor("taker", both, "  conflictResolution: Overwrite\n"))
	w.eventually("both clusters to refuse it by name", func() error { return w.refusedFor(heir, sha, "ConfigMap shop/let-go", "demo/giver") })

	w.ready(owner, owner.push("one object", "app.yaml", ""))
	w.ready(heir, sha)
	after := w.ours(heir)
	require.Len(t, after, 2)
	for object, seen := range after {
		require.Equal(t, before[object].uid, seen.uid, object)
	}
	for _, cluster := range both {
		require.NotContains(t, w.configMap(cluster, "let-go").Annotations, v1alpha1.PreserveAnnotation)
	}
}

// TestTheHubLosesItsData: a new hub, the same members, the same repository. What was delivered is known again by what the members say.
func TestTheHubLosesItsData(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	r := w.federation("lost")
	w.ready(r, r.push("five objects", "moves.yaml", configMap("moves", "1"), "moves-policy.yaml", strings.ReplaceAll(movable("v1", "ConfigMap", "moves", "{cluster: {purgeMode: Gracefully}}"), ", cluster-c", ""), "one.yaml", configMap("one", "1"), "two.yaml", configMap("two", "1"), "three.yaml", configMap("three", "1"), "tainted.yaml", configMap("tainted", "1"),
		"policy.yaml", policyOf("one", "clusterNames: [cluster-a, cluster-b]")+"---\n"+policyOf("two", "clusterNames: [cluster-a, cluster-b]")+
			"---\n"+policyOf("three", "clusterNames: [cluster-a, cluster-b]")+"---\n"+policyOf("tainted", "clusterNames: [cluster-a, cluster-b]")))
	before := w.ours(r)
	require.Len(t, before, 9)
	w.taint("cluster-a")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that the taint moves nothing")
	require.Equal(t, before, w.ours(r))
	w.cables["cluster-b"].setCut(true)
	w.lost("cluster-b")

	w.stop()
	copies := w.halfEvicted(r)
	w.loseHub()
	sha := r.push("one object leaves Git", "three.yaml", "")
	w.taint("cluster-a")
	w.taint("cluster-b")
	w.declareAgain(r)
	w.run()
	w.eventually("what left Git to be pruned where it can be", func() error { return unless(w.absent("cluster-a", "three"), "it is there") })
	w.cables["cluster-b"].setCut(false)
	w.ready(r, sha)
	w.eventually("and where it could not be", func() error { return unless(w.absent("cluster-b", "three"), "it is there") })
	now := w.ours(r)
	w.eventually("one of two copies to go", func() error {
		now = w.ours(r)
		_, onA := now["cluster-a moves"]
		_, onB := now["cluster-b moves"]
		return unless(onA != onB, fmt.Sprintf("on cluster-a %t, on cluster-b %t", onA, onB))
	})
	chosen := w.chosen(r, "moves")
	require.Equal(t, copies[chosen+" moves"], now[chosen+" moves"], "the copy that stays was not written")
	for _, cluster := range both {
		delete(before, cluster+" three")
		delete(before, cluster+" moves")
		delete(now, cluster+" moves")
	}
	require.Equal(t, before, now, "nothing else was written, and no taint moved anything")
	for _, cluster := range both {
		w.eventually("the inventory of "+cluster, func() error {
			inventory := strings.Join(w.inventory(r, cluster), " ")
			return unless(strings.Contains(inventory, "tainted") && !strings.Contains(inventory, "three"), inventory)
		})
	}
}

// halfEvicted has ConfigMap moves on both clusters, as an eviction leaves them that has not ended: the cluster that it was evicted from has
// not deleted its copy. It returns the objects on the clusters.
func (w *world) halfEvicted(r *repository) map[string]sighting {
	w.t.Helper()
	old := w.configMap("cluster-a", "moves") // the first one
	require.NoError(w.t, w.members["cluster-b"].Patch(w.t.Context(), &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: old.Namespace, Name: old.Name, Labels: old.Labels, Annotations: old.Annotations}, Data: old.Data,
	}, client.Apply, client.FieldOwner(v1alpha1.FieldManager)))
	return w.ours(r)
}

// declareAgain declares the Federation of a repository on a new hub.
func (w *world) declareAgain(r *repository) {
	w.t.Helper()
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: r.federation}}
	fed.Spec = v1alpha1.FederationSpec{Prune: true, Sources: []v1alpha1.Source{r.source("main")}}
	fed.Spec.Interval.Duration = time.Second
	w.create(fed)
}

// TestTheHubLosesItsDataAndReplicasStay: replicas that were divided by room stay where they are, although there is more room
// elsewhere now.
func TestTheHubLosesItsDataAndReplicasStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.node("cluster-a", "small", "4", "32Gi")
	w.node("cluster-b", "middle", "8", "64Gi")
	r := w.federation("divided")
	other := strings.ReplaceAll(web(1), "web", "other") // the rights to Deployments are derived from it: they know no room
	sha := r.push("six replicas", "web.yaml", web(6), "policy.yaml", byRoom, "other.yaml", other,
		"other-policy.yaml", strings.Replace(policyOf("other", "clusterNames: [cluster-a, cluster-b]"), "apiVersion: v1\n    kind: ConfigMap", "apiVersion: apps/v1\n    kind: Deployment", 1))
	w.applied(r, sha)
	before := w.deployments()
	a, b := w.replicas()
	require.Equal(t, [2]int32{2, 4}, [2]int32{a, b}, "room for 4 and for 8")

	w.stop()
	w.loseHub()
	w.node("cluster-a", "large", "64", "512Gi")
	w.declareAgain(r)
	w.run()
	w.applied(r, sha)
	require.Equal(t, before, w.deployments(), "nothing was written")
}

// taint repels from a cluster what is not there already.
func (w *world) taint(cluster string) {
	w.t.Helper()
	c := w.cluster(cluster)
	c.Spec.Taints = []corev1.Taint{{Key: "full", Effect: corev1.TaintEffectNoSchedule}}
	require.NoError(w.t, w.hub.Update(w.t.Context(), c))
}

// loseHub gives the world a new hub, with the same members joined.
func (w *world) loseHub() {
	w.t.Helper()
	w.planes["hub"] = localtest.Start(w.t, "hub-2")
	w.config = w.planes["hub"].Config()
	w.hub = clientOf(w.t, w.config)
	require.NoError(w.t, store.Install(w.t.Context(), w.config))
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}})
	for name := range w.members {
		if *mode == "pull" {
			cut := w.cables[name].isCut()
			w.lay(name)
			w.cables[name].setCut(cut)
		}
		w.join(name)
	}
}
