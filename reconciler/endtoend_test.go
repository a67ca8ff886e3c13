package reconciler_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

var both = []string{"cluster-a", "cluster-b"}

// TestOneHub is what a team does in a day, with one hub and two members; each part has a Federation of its own.
func TestOneHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	for _, cluster := range both { // it belongs to no part, whichever comes first
		require.NoError(t, w.members[cluster].Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}))
	}
	w.play(map[string]func(*testing.T, *world){
		"an override changes one cluster":                overridePerCluster,
		"an edited policy moves an object":               policyEdit,
		"a file removed from Git is pruned":              prune,
		"a broken commit changes nothing":                brokenCommit,
		"a hand-made change is repaired and reported":    drift,
		"a held cluster is left alone":                   heldHandsOff,
		"two federations leave each other's objects":     twoFederations,
		"a name has 253 characters":                      longNames,
		"too much to delete is not deleted":              pruneLimits,
		"defect R2: a stopped commit writes nothing":     defectR2StoppedCommit,
		"defect R2: an unrelated history writes nothing": defectR2UnrelatedHistory,
		"an object that was there before is not touched": foreignObject,
		"defect R8: records on the hub are restored":     defectR8Records,
		"defect R11: a deletion counts when it is done":  defectR11Finalizer,
		"defect R10: an admission policy is reported":    defectR10Mutation,
		"defect R11: a Namespace and a CRD count, too":   defectR11NamespaceAndDefinition,
		"hostile: a revision killed the process twice":   hostilePoisonRevision,
		"defect D1: a quoted number is refused":          defectD1QuotedNumber,
	})
}

func overridePerCluster(t *testing.T, w *world) {
	r := w.federation("override")
	sha := r.push("two clusters, one value each",
		"app.yaml", configMap("override", "from Git"),
		"policy.yaml", policyFor("override", both, ""),
		"overrides.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  namespace: shop
  name: override
spec:
  overrideRules:
  - targetCluster:
      clusterNames: [cluster-b]
    overriders:
      plaintext:
      - path: /data/key
        operator: replace
        value: for b
`)
	w.ready(r, sha)
	require.Equal(t, "from Git", w.configMap("cluster-a", "override").Data["key"])
	require.Equal(t, "for b", w.configMap("cluster-b", "override").Data["key"])

	sha = r.push("no override, no effect", "overrides.yaml", "")
	w.ready(r, sha)
	require.Equal(t, "from Git", w.configMap("cluster-b", "override").Data["key"])
}

func policyEdit(t *testing.T, w *world) {
	r := w.federation("policy-edit")
	w.ready(r, r.push("on a", "app.yaml", configMap("moving", "1"), "policy.yaml", policyFor("moving", []string{"cluster-a"}, "")))
	require.False(t, w.absent("cluster-a", "moving"))
	require.True(t, w.absent("cluster-b", "moving"))

	w.ready(r, r.push("on b", "policy.yaml", policyFor("moving", []string{"cluster-b"}, "")))
	require.False(t, w.absent("cluster-b", "moving"))
	w.eventually("the object to leave cluster-a", func() error { return unless(w.absent("cluster-a", "moving"), "it is there") })
}

func prune(t *testing.T, w *world) {
	r := w.federation("prune")
	w.ready(r, r.push("two objects", "one.yaml", configMap("stays", "1"), "two.yaml", configMap("goes", "1"), "policy.yaml", policyFor("prune", both, "")))
	require.False(t, w.absent("cluster-a", "goes"))

	w.ready(r, r.push("one object", "two.yaml", ""))
	for _, c := range both {
		w.eventually("the object to leave "+c, func() error { return unless(w.absent(c, "goes"), "it is there") })
		require.False(t, w.absent(c, "stays"))
	}
	w.eventually("the inventory to shrink", func() error {
		inventory := strings.Join(w.inventory(r, "cluster-a"), " ")
		return unless(!strings.Contains(inventory, "goes") && strings.Contains(inventory, "stays"), inventory)
	})
}

func brokenCommit(t *testing.T, w *world) {
	r := w.federation("broken")
	good := r.push("good", "app.yaml", configMap("sturdy", "1"), "policy.yaml", policyFor("broken", both, ""))
	w.ready(r, good)

	bad := r.push("bad", "app.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: shop\n  name: sturdy\ndata: [unclosed\n")
	release := w.condition(r, bad, "Ready", metav1.ConditionFalse, "")
	require.NotEmpty(t, release.Status.Errors)
	require.Contains(t, release.Status.Errors[0], "app.yaml:")
	require.True(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Stalled"), "no retry can fix a broken commit")
	require.Equal(t, "1", w.configMap("cluster-a", "sturdy").Data["key"])

	better := r.push("good again", "app.yaml", configMap("sturdy", "2"))
	w.ready(r, better)
	require.Equal(t, "2", w.configMap("cluster-b", "sturdy").Data["key"])
	w.condition(r, bad, "Superseded", metav1.ConditionTrue, "")
}

func drift(t *testing.T, w *world) {
	r := w.federation("drift")
	w.ready(r, r.push("one object", "app.yaml", configMap("drifting", "1"), "policy.yaml", policyFor("drift", both, "")))

	edited := w.configMap("cluster-a", "drifting")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited, client.FieldOwner("somebody")))
	w.eventually("the edit to be repaired", func() error {
		return unless(w.configMap("cluster-a", "drifting").Data["key"] == "1", "not repaired")
	})
	w.eventually("the edit to be reported", func() error {
		c := apimeta.FindStatusCondition(w.delivery(r, "cluster-a").Status.Conditions, v1alpha1.Drifted)
		return unless(c != nil && strings.Contains(c.Message, "somebody") && strings.Contains(c.Message, "drifting"), fmt.Sprint(c))
	})

	require.NoError(t, w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "drifting")))
	w.eventually("the deletion to be repaired", func() error { return unless(!w.absent("cluster-b", "drifting"), "still gone") })
}

func heldHandsOff(t *testing.T, w *world) {
	r := w.federation("held")
	w.ready(r, r.push("first", "app.yaml", configMap("held", "1"), "policy.yaml", policyFor("held", both, "")))

	hold := "  suspension:\n    dispatchingOnClusters:\n      clusterNames: [cluster-a]\n"
	sha := r.push("second, a held", "app.yaml", configMap("held", "2"), "policy.yaml", policyFor("held", both, hold))
	release := w.condition(r, sha, "Ready", metav1.ConditionUnknown, "Held")
	require.EqualValues(t, 1, release.Status.Summary.Held)
	require.Equal(t, "2", w.configMap("cluster-b", "held").Data["key"])
	require.Equal(t, "1", w.configMap("cluster-a", "held").Data["key"])

	edited := w.configMap("cluster-a", "held")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited))
	third := r.push("third, a still held", "app.yaml", configMap("held", "3"))
	w.condition(r, third, "Ready", metav1.ConditionUnknown, "Held")
	require.Equal(t, "3", w.configMap("cluster-b", "held").Data["key"])
	require.Equal(t, "by hand", w.configMap("cluster-a", "held").Data["key"])

	require.NoError(t, w.members["cluster-a"].Delete(t.Context(), edited))
	require.NoError(t, w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "held")))
	w.eventually("cluster-b to be repaired", func() error { return unless(!w.absent("cluster-b", "held"), "still gone") })
	require.True(t, w.absent("cluster-a", "held"), "a held object is not re-created")

	sha = r.push("released", "policy.yaml", policyFor("held", both, ""))
	w.ready(r, sha)
	require.Equal(t, "3", w.configMap("cluster-a", "held").Data["key"])
}

func twoFederations(t *testing.T, w *world) {
	first, second := w.federation("first"), w.federation("second")
	w.ready(first, first.push("first", "app.yaml", configMap("of-first", "1"), "policy.yaml", policyFor("first", both, "")))
	w.ready(second, second.push("second", "app.yaml", configMap("of-second", "1"), "policy.yaml", policyFor("second", both, "")))

	w.ready(second, second.push("second has another", "app.yaml", configMap("of-second-too", "1")))
	w.eventually("the old object of the second to go", func() error { return unless(w.absent("cluster-a", "of-second"), "it is there") })
	require.False(t, w.absent("cluster-a", "of-first"))

	overwrite := "  conflictResolution: Overwrite\n"
	stolen := second.push("second claims what first has", "app.yaml", configMap("of-first", "stolen"), "policy.yaml", policyFor("second", both, overwrite))
	w.eventually("both clusters to refuse it", func() error {
		release, err := w.release(second, stolen)
		if err != nil {
			return err
		}
		return unless(release.Status.Summary.Failed == 2, fmt.Sprintf("%+v", release.Status))
	})
	require.Equal(t, "1", w.configMap("cluster-a", "of-first").Data["key"])
}

func longNames(t *testing.T, w *world) {
	r := w.federation("long")
	name := strings.Repeat("n", 253)
	w.ready(r, r.push("a long name", "app.yaml", configMap(name, "1"), "policy.yaml", policyFor("long", both, "")))
	require.Equal(t, "1", w.configMap("cluster-b", name).Data["key"])
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(t, w.hub.List(t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.FederationLabel: "long"}))
	require.Len(t, list.Items, 1)
	require.Equal(t, name, list.Items[0].Spec.Template.Name)
}

func pruneLimits(t *testing.T, w *world) {
	r := w.federation("brake")
	files := []string{"policy.yaml", policyFor("brake", both, "")}
	var none []string
	for i := range 8 {
		path := fmt.Sprintf("app-%d.yaml", i)
		files = append(files, path, configMap(fmt.Sprintf("braked-%d", i), "1"))
		if i > 0 {
			none = append(none, path, "")
		}
	}
	w.ready(r, r.push("eight objects", files...))
	sha := r.push("one object", none...)
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "PruneBlocked")
	require.Equal(t, "PruneBlocked", apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Applied).Reason)
	require.False(t, w.absent("cluster-a", "braked-7"))

	sha = r.push("one object, and I mean it\n\nAccord-Prune: allow")
	w.ready(r, sha)
	w.eventually("the objects to go", func() error { return unless(w.absent("cluster-a", "braked-7"), "it is there") })
	require.False(t, w.absent("cluster-a", "braked-0"))
}

// defectR2StoppedCommit deletes many objects and an override, and changes one object, in one commit.
func defectR2StoppedCommit(t *testing.T, w *world) {
	r := w.federation("stopped")
	files := []string{"policy.yaml", policyFor("stopped", both, ""), "overrides.yaml", overrideOf("stopped-0", both...)}
	var none []string
	for i := range 8 {
		path := fmt.Sprintf("app-%d.yaml", i)
		files = append(files, path, configMap(fmt.Sprintf("stopped-%d", i), "nowhere"))
		if i > 1 {
			none = append(none, path, "")
		}
	}
	good := r.push("eight objects, one with an override", files...)
	w.ready(r, good)
	before := w.ours(r)

	stopped := r.push("the override and six objects leave, one changes", append(none, "overrides.yaml", "", "app-1.yaml", configMap("stopped-1", "2"), "new.yaml", configMap("stopped-new", "1"))...)
	release := w.condition(r, stopped, "Ready", metav1.ConditionFalse, "PruneBlocked")
	ready := apimeta.FindStatusCondition(release.Status.Conditions, "Ready")
	for _, part := range []string{"would delete 6 of ", "Accord-Prune: allow", "cluster-a (and 1 more)", "nothing is written to any cluster"} {
		require.Contains(t, ready.Message, part)
	}
	require.True(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Stalled"))
	w.federationIs(r, "Ready", metav1.ConditionFalse, "PruneBlocked")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing happens")
	require.Equal(t, before, w.ours(r))
	for _, cluster := range both {
		require.Contains(t, w.delivery(r, cluster).Spec.Revision, good, "the Delivery is about the active plan")
	}

	require.NoError(t, w.members["cluster-a"].Delete(t.Context(), w.configMap("cluster-a", "stopped-0")))
	w.eventually("the active plan to be repaired", func() error { return unless(!w.absent("cluster-a", "stopped-0"), "still gone") })
	require.Equal(t, "for cluster-a", w.configMap("cluster-a", "stopped-0").Data["key"])

	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.PruneLimits.MaxPercent = new(int32(80)) })
	w.ready(r, stopped)
	require.Equal(t, "2", w.configMap("cluster-b", "stopped-1").Data["key"], "higher limits let it pass")
	w.eventually("the objects to go", func() error { return unless(w.absent("cluster-a", "stopped-7"), "it is there") })
}

// defectR2UnrelatedHistory replaces the history of the branch by another one.
func defectR2UnrelatedHistory(t *testing.T, w *world) {
	r := w.federation("unrelated")
	files := []string{"policy.yaml", policyFor("unrelated", both, "")}
	for i := range 8 {
		files = append(files, fmt.Sprintf("app-%d.yaml", i), configMap(fmt.Sprintf("unrelated-%d", i), "1"))
	}
	w.ready(r, r.push("eight objects", files...))
	before := w.ours(r)

	r.git(r.work, "checkout", "--quiet", "--orphan", "other")
	r.git(r.work, "rm", "--quiet", "-rf", ".")
	r.git(r.work, "commit", "--quiet", "--allow-empty", "-m", "another beginning")
	r.git(r.work, "push", "--quiet", "--force", "origin", "HEAD:main")
	sha := r.push("an unrelated history", "policy.yaml", policyFor("unrelated", both, ""), "other.yaml", configMap("unrelated-other", "1"))
	w.condition(r, sha, "Ready", metav1.ConditionFalse, "PruneBlocked")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing happens")
	require.Equal(t, before, w.ours(r))
	require.True(t, w.absent("cluster-a", "unrelated-other"))

	w.ready(r, r.push("and I mean it\n\nAccord-Prune: allow"))
	require.False(t, w.absent("cluster-a", "unrelated-other"))
	w.eventually("the objects to go", func() error { return unless(w.absent("cluster-b", "unrelated-7"), "it is there") })
}

// defectR11Finalizer has a finalizer keep an object that left Git, and then a Namespace.
func defectR11Finalizer(t *testing.T, w *world) {
	r := newRepository(t)
	r.federation = "finalized"
	w.declare(r, func(spec *v1alpha1.FederationSpec) { spec.DeletionTimeout = metav1.Duration{Duration: 4 * time.Second} })
	w.ready(r, r.push("two objects", "app.yaml", configMap("finalized", "1"), "gone.yaml", configMap("finalized-gone", "1"), "policy.yaml", policyFor("finalized", both, "")))
	guarded := w.configMap("cluster-a", "finalized-gone")
	guarded.Finalizers = []string{"example.com/guard"}
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), guarded))

	sha := r.push("one leaves", "gone.yaml", "")
	release := w.condition(r, sha, "Ready", metav1.ConditionUnknown, "Progressing")
	w.eventually("the finalizer to be named", func() (err error) {
		release, err = w.release(r, sha)
		waits := release.Status.WaitingFor
		return cmp.Or(err, unless(waits != nil && waits.Finalizer == "example.com/guard", fmt.Sprintf("%+v", waits)))
	})
	require.Equal(t, "cluster-a", release.Status.WaitingFor.Cluster)
	require.Equal(t, "ConfigMap shop/finalized-gone", release.Status.WaitingFor.Object)
	require.NotNil(t, release.Status.WaitingFor.Since)
	w.eventually("the Delivery to name it, too", func() error {
		waits := w.delivery(r, "cluster-a").Status.WaitingFor
		return unless(waits != nil && waits.Finalizer == "example.com/guard", fmt.Sprintf("%+v", waits))
	})
	w.condition(r, sha, "Stalled", metav1.ConditionTrue, "DeletionBlocked")

	guarded = w.configMap("cluster-a", "finalized-gone")
	guarded.Finalizers = nil
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), guarded))
	w.ready(r, sha)
	require.True(t, w.absent("cluster-a", "finalized-gone"))
	w.eventually("the inventory to shrink", func() error {
		inventory := strings.Join(w.inventory(r, "cluster-a"), " ")
		return unless(!strings.Contains(inventory, "finalized-gone"), inventory)
	})
}

// defectR11NamespaceAndDefinition: an object that other objects depend on counts as deleted when it is gone, like any other.
func defectR11NamespaceAndDefinition(t *testing.T, w *world) {
	r := newRepository(t)
	r.federation = "finalized-cluster"
	w.declare(r, func(spec *v1alpha1.FederationSpec) { spec.DeletionTimeout = metav1.Duration{Duration: time.Second} })
	guarded := []client.Object{
		&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "finalized"}},
		&metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
			ObjectMeta: metav1.ObjectMeta{Name: "guards.finalized.example.com"},
		},
	}
	w.ready(r, r.push("a Namespace and a definition",
		"Namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: finalized}\n",
		"CustomResourceDefinition.yaml", `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: guards.finalized.example.com}
spec:
  group: finalized.example.com
  scope: Namespaced
  names: {plural: guards, singular: guard, kind: Guard, listKind: GuardList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`, "policy.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: finalized}
spec:
  resourceSelectors:
  - {apiVersion: v1, kind: Namespace, name: finalized}
  - {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, name: guards.finalized.example.com}
  placement: {clusterAffinity: {clusterNames: [cluster-a]}}
`))
	for _, obj := range guarded {
		kind, member := obj.GetObjectKind().GroupVersionKind().Kind, w.members["cluster-a"]
		guard := func(finalizers string) {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`))
			require.NoError(t, member.Patch(t.Context(), obj.DeepCopyObject().(client.Object), patch))
		}
		guard(`["example.com/guard"]`)
		if kind == "Namespace" { // accord lists everything in it before it deletes it
			everything := []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"list"}}}
			require.NoError(t, member.Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "lists"}, Rules: everything}))
			require.NoError(t, member.Create(t.Context(), listing()))
		}
		sha := r.push(kind+" leaves\n\nAccord-Prune: allow", kind+".yaml", "")
		release := w.condition(r, sha, "Stalled", metav1.ConditionTrue, "DeletionBlocked")
		require.False(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Ready"), kind)
		require.Equal(t, "example.com/guard", release.Status.WaitingFor.Finalizer, kind)
		require.Contains(t, release.Status.WaitingFor.Object, kind+" "+obj.GetName())
		guard("null")
		if space, ok := obj.(*corev1.Namespace); ok { // no controller of namespaces runs here
			require.NoError(t, member.Get(t.Context(), client.ObjectKeyFromObject(space), space))
			space.Spec.Finalizers = nil
			require.NoError(t, member.SubResource("finalize").Update(t.Context(), space))
			require.NoError(t, member.Delete(t.Context(), listing()))
		}
		w.ready(r, sha)
		require.True(t, apierrors.IsNotFound(w.object("cluster-a", obj, "", obj.GetName())), kind)
	}
}

// listing lets accord list everything on a member.
func listing() *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "lists"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "lists"},
		Subjects: subjects(metav1.ObjectMeta{Namespace: "accord-system", Name: "accord"}),
	}
}

func defectD1QuotedNumber(t *testing.T, w *world) {
	r := w.federation("quoted")
	app := func(replicas string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: shop, name: quoted}\nspec:\n  replicas: " + replicas + `
  selector: {matchLabels: {app: quoted}}
  template: {metadata: {labels: {app: quoted}}, spec: {containers: [{name: main, image: nginx}]}}
`
	}
	policy := strings.Replace(policyFor("quoted", both, ""), "  - apiVersion: v1\n    kind: ConfigMap\n", "  - {apiVersion: apps/v1, kind: Deployment}\n", 1)
	w.condition(r, r.push("three", "app.yaml", app("3"), "policy.yaml", policy), "Applied", metav1.ConditionTrue, "")
	bad := r.push("three, quoted", "app.yaml", app(`"3"`))
	release := w.condition(r, bad, "Ready", metav1.ConditionFalse, "BuildFailed")
	require.Len(t, release.Status.Errors, 1)
	require.Regexp(t, `^app\.yaml:5: .*replicas`, release.Status.Errors[0])
	for _, cluster := range both {
		d := &appsv1.Deployment{}
		require.NoError(t, w.object(cluster, d, "shop", "quoted"))
		require.EqualValues(t, 3, *d.Spec.Replicas)
	}
}

func foreignObject(t *testing.T, w *world) {
	err := w.members["cluster-a"].Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	require.True(t, err == nil || apierrors.IsAlreadyExists(err), "%v", err)
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}, Data: map[string]string{"key": "theirs"}}
	require.NoError(t, w.members["cluster-a"].Create(t.Context(), theirs))

	r := w.federation("foreign")
	sha := r.push("an object that is there", "app.yaml", configMap("theirs", "ours"), "policy.yaml", policyFor("foreign", both, ""))
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "")
	require.EqualValues(t, 1, release.Status.Summary.Failed)
	require.Equal(t, "theirs", w.configMap("cluster-a", "theirs").Data["key"])

	sha = r.push("take it over", "policy.yaml", policyFor("foreign", both, "  conflictResolution: Overwrite\n"))
	w.ready(r, sha)
	require.Equal(t, "ours", w.configMap("cluster-a", "theirs").Data["key"])
}

// unless is an error with what was seen, unless ok.
func unless(ok bool, seen string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s", seen)
}
