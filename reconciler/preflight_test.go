package reconciler_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// three are all members.
var three = []string{"cluster-a", "cluster-b", "cluster-c"}

// TestPreflight is what happens to a plan that a cluster refuses something of.
func TestPreflight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"a quota of one cluster stops all", stoppedByQuota},
		{"another commit helps", helpedByCommit},
		{"without preflight the others get it", withoutPreflight},
		{"a cluster that is lost is not waited for", notWaitedFor},
		{"what is somebody else's does not stop the rest", somebodyElses},
		{"an approved plan is tried, too", approvedAndRefused},
	} {
		t.Run(part.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			part.run(t, &inner)
		})
	}
	t.Run("a restart at a commit that is refused", func(t *testing.T) {
		inner := *w
		inner.t = t
		restartRefused(t, &inner, w)
	})
}

// full puts a quota on a cluster that has no room for another ConfigMap in the namespace, and returns once the API server
// knows it; the function that it returns takes it away.
func (w *world) full(cluster string) (lift func()) {
	w.t.Helper()
	hard := corev1.ResourceList{"count/configmaps": resource.MustParse("1")}
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "full"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), q))
	q.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: hard}
	require.NoError(w.t, w.members[cluster].Status().Update(w.t.Context(), q))
	w.eventually("the quota to hold", func() error {
		return unless(w.creates(cluster) != nil, "there is room")
	})
	return func() {
		require.NoError(w.t, w.members[cluster].Delete(w.t.Context(), q))
		w.eventually("the quota to go", func() error { return w.creates(cluster) })
	}
}

// creates says whether a ConfigMap could be created.
func (w *world) creates(cluster string) error {
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "probe"}}
	return w.members[cluster].Create(w.t.Context(), probe, client.DryRunAll)
}

// versions are the resource versions of a ConfigMap on all members: one that is written has another.
func (w *world) versions(name string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, c := range three {
		all[c] = w.configMap(c, name).ResourceVersion
	}
	return all
}

// refused waits until a Release says that its preflight failed, and returns what it says of it.
func (w *world) refused(r *repository, sha, reason string) (*v1alpha1.Release, string) {
	w.t.Helper()
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "PreflightFailed")
	require.Equal(w.t, "ProgressingWithRetry", apimeta.FindStatusCondition(release.Status.Conditions, "Reconciling").Reason)
	c := apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.DryRunSucceeded)
	require.NotNil(w.t, c)
	require.Equal(w.t, metav1.ConditionFalse, c.Status)
	require.Equal(w.t, reason, c.Reason)
	return release, c.Message
}

func stoppedByQuota(t *testing.T, w *world) {
	r := w.federation("quota")
	first := r.push("first", "app.yaml", configMap("roomy", "1"), "policy.yaml", policyFor("quota", three, ""))
	release := w.ready(r, first)
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.DryRunSucceeded).Message, " tried, none refused")

	lift := w.full("cluster-c")
	before := w.versions("roomy")
	second := r.push("second", "app.yaml", configMap("roomy", "2"), "more.yaml", configMap("crowded", "2"))
	release, message := w.refused(r, second, "QuotaExceeded")
	require.Contains(t, message, "cluster-c refuses ConfigMap shop/crowded: ")
	require.Contains(t, message, "exceeded quota: full")
	require.EqualValues(t, 1, release.Status.Summary.Failed)
	require.EqualValues(t, 2, release.Status.Summary.Held)
	require.Equal(t, "cluster-c", release.Status.NotReadyClusters[0].Cluster)
	require.Equal(t, "ConfigMap shop/crowded", release.Status.NotReadyClusters[0].Object)
	require.Equal(t, "cluster-c", release.Status.WaitingFor.Cluster)
	w.federationIs(r, "Ready", metav1.ConditionFalse, "PreflightFailed")

	time.Sleep(3 * time.Second) // the time of more than one try
	require.Equal(t, before, w.versions("roomy"), "nothing is written")
	for _, c := range three {
		require.True(t, w.absent(c, "crowded"), c)
	}
	w.repaired("cluster-a", "roomy", "1") // what is in force is kept up

	lift()
	w.ready(r, second) // by itself
	for _, c := range three {
		require.Equal(t, "2", w.configMap(c, "roomy").Data["key"])
		require.Equal(t, "2", w.configMap(c, "crowded").Data["key"])
	}
	w.eventually("the event", func() error {
		return w.told(r, "Release", "Warning PreflightFailed", 1, "cluster-c refuses ConfigMap shop/crowded")
	})
}

// deny has a cluster deny ConfigMaps with a value.
func (w *world) deny(cluster, value string) {
	w.t.Helper()
	name := metav1.ObjectMeta{Name: "no-" + value}
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: name, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{"CREATE", "UPDATE"},
			Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
		}}}},
		Validations: []admissionv1.Validation{{Expression: fmt.Sprintf("!has(object.data) || !('key' in object.data) || object.data.key != %q", value), Message: "not here"}},
	}}))
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: name, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}))
	w.eventually("the policy to hold", func() error {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "probe"}, Data: map[string]string{"key": value}}
		err := w.members[cluster].Create(w.t.Context(), probe, client.DryRunAll)
		return unless(err != nil, "it is taken")
	})
}

func helpedByCommit(t *testing.T, w *world) {
	r := w.federation("denied")
	w.ready(r, r.push("first", "app.yaml", configMap("denied", "1"), "policy.yaml", policyFor("denied", three, "")))
	w.deny("cluster-a", "bad")
	before := w.versions("denied")
	second := r.push("second", "app.yaml", configMap("denied", "bad"))
	_, message := w.refused(r, second, "AdmissionDenied")
	require.Contains(t, message, "cluster-a refuses ConfigMap shop/denied: ")
	require.Contains(t, message, "ValidatingAdmissionPolicy 'no-bad'")
	require.Contains(t, message, "not here")
	require.Equal(t, before, w.versions("denied"))

	third := r.push("third", "app.yaml", configMap("denied", "3"))
	w.ready(r, third)
	require.Equal(t, "3", w.configMap("cluster-b", "denied").Data["key"])
	w.eventually("the second to be overtaken", func() error {
		release, err := w.release(r, second)
		return errors.Join(err, unless(release.Status.SupersededBy != "", "not yet"))
	})
}

func withoutPreflight(t *testing.T, w *world) {
	r := newRepository(t)
	r.federation = "hasty"
	w.declare(r, func(spec *v1alpha1.FederationSpec) { spec.Preflight = ptr.To(false) })
	w.ready(r, r.push("first", "app.yaml", configMap("hasty", "1"), "policy.yaml", policyFor("hasty", three, "")))
	w.deny("cluster-b", "worse")
	second := r.push("second", "app.yaml", configMap("hasty", "worse"))
	release := w.condition(r, second, "Ready", metav1.ConditionFalse, "ApplyFailed")
	require.Nil(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.DryRunSucceeded))
	w.eventually("the others to get it", func() error {
		a, c := w.configMap("cluster-a", "hasty").Data["key"], w.configMap("cluster-c", "hasty").Data["key"]
		return unless(a == "worse" && c == "worse", a+c)
	})
	require.Equal(t, "1", w.configMap("cluster-b", "hasty").Data["key"])

	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Preflight = nil })
	third := r.push("third", "app.yaml", configMap("hasty", "3"), "more.yaml", configMap("hasty-too", "worse"))
	w.refused(r, third, "AdmissionDenied")
	require.Equal(t, "worse", w.configMap("cluster-a", "hasty").Data["key"])
	require.True(t, w.absent("cluster-a", "hasty-too"))
}

func notWaitedFor(t *testing.T, w *world) {
	r := w.federation("lost")
	w.ready(r, r.push("first", "app.yaml", configMap("lost", "1"), "policy.yaml", policyFor("lost", three, "")))
	w.cables["cluster-b"].setCut(true)
	second := r.push("second", "app.yaml", configMap("lost", "2"))
	w.eventually("the others to get it", func() error {
		a, c := w.configMap("cluster-a", "lost").Data["key"], w.configMap("cluster-c", "lost").Data["key"]
		return unless(a == "2" && c == "2", a+c)
	})
	release := w.condition(r, second, v1alpha1.DryRunSucceeded, metav1.ConditionTrue, "")
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.DryRunSucceeded).Message, "not asked: cluster-b (")
	w.condition(r, second, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	w.cables["cluster-b"].setCut(false)
	w.ready(r, second)
	require.Equal(t, "2", w.configMap("cluster-b", "lost").Data["key"])
}

func somebodyElses(t *testing.T, w *world) {
	r := w.federation("foreign")
	w.ready(r, r.push("first", "app.yaml", configMap("ours", "1"), "policy.yaml", policyFor("foreign", three, "")))
	require.NoError(t, w.members["cluster-a"].Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}}))
	second := r.push("second", "app.yaml", configMap("ours", "2"), "more.yaml", configMap("theirs", "2"))
	w.condition(r, second, "Ready", metav1.ConditionFalse, "ApplyFailed")
	w.eventually("the rest to be delivered", func() error {
		got := w.configMap("cluster-a", "ours").Data["key"]
		return unless(got == "2" && !w.absent("cluster-b", "theirs"), got)
	})
	require.Empty(t, w.configMap("cluster-a", "theirs").Data)
}

func approvedAndRefused(t *testing.T, w *world) {
	r := w.approving("both-gates")
	first := r.push("first", "app.yaml", configMap("gated", "1"), "policy.yaml", policyFor("both-gates", three, ""))
	release := w.held(r, first)
	require.Nil(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.DryRunSucceeded), "nobody approved it")
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, first)

	lift := w.full("cluster-b")
	second := r.push("second", "more.yaml", configMap("gated-too", "2"))
	release = w.held(r, second)
	w.approve(release, release.Spec.PlanDigest)
	_, message := w.refused(r, second, "QuotaExceeded")
	require.Contains(t, message, "cluster-b refuses ConfigMap shop/gated-too: ")
	require.True(t, w.absent("cluster-a", "gated-too"))
	w.approve(release, "")
	release = w.held(r, second)
	w.approve(release, release.Spec.PlanDigest)
	w.refused(r, second, "QuotaExceeded")
	lift()
	w.ready(r, second)
	require.Equal(t, "2", w.configMap("cluster-a", "gated-too").Data["key"])
}

func restartRefused(t *testing.T, inner, w *world) {
	r := inner.federation("again")
	first := r.push("first", "app.yaml", configMap("again", "1"), "policy.yaml", policyFor("again", three, ""))
	inner.ready(r, first)
	lift := inner.full("cluster-c")
	second := r.push("second", "app.yaml", configMap("again", "2"), "more.yaml", configMap("again-too", "2"))
	inner.refused(r, second, "QuotaExceeded")
	before := inner.versions("again")
	w.stop()
	w.run()
	time.Sleep(2 * time.Second)
	inner.refused(r, second, "QuotaExceeded")
	require.Equal(t, before, inner.versions("again"))
	require.True(t, inner.absent("cluster-a", "again-too"))
	lift()
	inner.ready(r, second)
	require.Equal(t, "2", inner.configMap("cluster-a", "again").Data["key"])
}
