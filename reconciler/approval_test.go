package reconciler_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler"
)

// TestApproval is what happens where somebody has to approve what is delivered.
func TestApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"an annotation approves what waits", approvedByAnnotation},
		{"a trailer approves its own commit", approvedByTrailer},
		{"approval is required of what runs already", approvalRequiredLater},
		{"a cluster is declared when its commit is approved", declaredWhenApproved},
		{"HostileApprover", hostileApprover},
		{"HostileUnverifiedSource", hostileUnverifiedSource},
		{"HostileUnapprovedCluster", hostileUnapprovedCluster},
		{"HostileCredentials", hostileCredentials},
		{"DefectF1: a commit that does not become active declares no Cluster", defectF1Declares},
		{"a Federation declares others", federationsInGit},
		{"a Federation that declares none", federationsWithoutDeclaring},
		{"a Federation declares itself", ownFederation},
		{"HostileTenant", hostileTenant},
		{"HostileAccounts", hostileAccounts},
	} {
		t.Run(part.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			part.run(t, &inner)
		})
	}
	t.Run("HostileUnapprovedControl", func(t *testing.T) {
		inner := *w
		inner.t = t
		hostileUnapprovedControl(t, &inner, func() { w.stop(); w.run() })
	})
	t.Run("a restart at a commit that is not approved", func(t *testing.T) {
		inner := *w
		inner.t = t
		restartUnapproved(t, &inner, w)
	})
}

// approving declares a Federation that requires approval.
func (w *world) approving(name string, by ...v1alpha1.ApprovalMethod) *repository {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	w.declare(r, func(spec *v1alpha1.FederationSpec) { spec.Approval = &v1alpha1.ApprovalPolicy{By: by} })
	return r
}

// held waits until the Release of a commit waits for approval, and returns it.
func (w *world) held(r *repository, sha string) *v1alpha1.Release {
	w.t.Helper()
	release := w.condition(r, sha, "Ready", metav1.ConditionUnknown, "Held")
	c := apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved)
	require.NotNil(w.t, c)
	require.Equal(w.t, metav1.ConditionFalse, c.Status)
	require.Contains(w.t, []string{"NotApproved", "ApprovalRefused"}, c.Reason)
	require.Regexp(w.t, "^sha256:[0-9a-f]{64}$", release.Spec.PlanDigest)
	require.Regexp(w.t, "accord approve --plan |Accord-Approve-Plan: "+release.Spec.PlanDigest, c.Message)
	require.Zero(w.t, release.Status.Summary.Progressing+release.Status.Summary.Failed)
	return release
}

// administrator is the user of the tests on the hub.
const administrator = "hub-admin"

// approve annotates a Release as a person would.
func (w *world) approve(release *v1alpha1.Release, digests string) {
	w.t.Helper()
	require.NoError(w.t, approveAs(w.t, w.hub, release, digests, administrator))
}

// approveAs sets the annotations of an approval; an empty approver removes that annotation.
func approveAs(t *testing.T, c client.Client, release *v1alpha1.Release, digests, approver string) error {
	t.Helper()
	by := "null"
	if approver != "" {
		by = strconv.Quote(approver)
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q,%q:%s}}}`, v1alpha1.ApprovedPlanAnnotation, digests, v1alpha1.ApprovedByAnnotation, by)
	return c.Patch(t.Context(), release.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
}

// as returns a client of the hub for another user with all rights.
func (w *world) as(user string) client.Client {
	w.t.Helper()
	cfg := rest.CopyConfig(w.config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:masters"}}
	return clientOf(w.t, cfg)
}

// hostileApprover: nobody approves in the name of others, without a name, or what he wrote himself.
func hostileApprover(t *testing.T, w *world) {
	r := newRepository(t)
	r.federation = "approver"
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Approval = &v1alpha1.ApprovalPolicy{NotBy: v1alpha1.NotByAuthor}
	})
	first := r.push("first", "app.yaml", configMap("approver", "1"), "policy.yaml", policyFor("approver", both, ""))
	release := w.held(r, first)
	digest, author := release.Spec.PlanDigest, w.as("oidc:test@example.com")

	for _, name := range []string{"", "bob", "hub-admin2"} {
		err := approveAs(t, w.as("mallory"), release, digest, name)
		require.ErrorContains(t, err, "the annotation accord.dev/approved-by must name the user who approves: set it to mallory", name)
	}
	require.NoError(t, approveAs(t, author, release, digest, "oidc:test@example.com"))
	release = w.condition(r, first, v1alpha1.Approved, metav1.ConditionFalse, "ApprovalRefused")
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved).Message,
		`the approval of "oidc:test@example.com" does not count, because spec.approval.notBy is Author and the author of commit `+first[:7])
	require.Empty(t, release.Status.ApprovedBy)
	require.True(t, w.absent("cluster-a", "approver"))

	// The name of another approver does not stay behind the plan of the next user, and nobody removes it.
	require.Error(t, approveAs(t, w.as("mallory"), release, digest+","+digest, "oidc:test@example.com"))
	require.Error(t, approveAs(t, w.as("mallory"), release, digest, ""))
	require.NoError(t, approveAs(t, w.as("bob"), release, digest, "bob"))
	release = w.ready(r, first)
	require.Equal(t, "bob", release.Status.ApprovedBy)
	w.eventually("an event with the approver", func() error {
		var all eventsv1.EventList
		err := w.hub.List(t.Context(), &all, client.InNamespace(w.namespace))
		return cmp.Or(err, unless(slices.ContainsFunc(all.Items, func(e eventsv1.Event) bool {
			return e.Reason == "Approved" && e.Note == "the plan "+digest+" is approved by bob" && e.Regarding.Name == release.Name
		}), "there is none"))
	})
	require.Equal(t, "the plan "+digest+" is approved by bob", apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved).Message)

	// Other annotations and the removal of an approval name nobody.
	require.NoError(t, w.as("mallory").Patch(t.Context(), release.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"note":"x"}}}`))))
	require.NoError(t, w.as("mallory").Patch(t.Context(), release.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"accord.dev/approved-plan":null}}}`))))
}

// repaired changes a ConfigMap by hand and waits until it is as it was: proof that the loops have come by.
func (w *world) repaired(cluster, name, want string) {
	w.t.Helper()
	edited := w.configMap(cluster, name)
	edited.Data["key"] = "by hand"
	require.NoError(w.t, w.members[cluster].Update(w.t.Context(), edited))
	w.eventually("the change to be repaired", func() error {
		got := w.configMap(cluster, name).Data["key"]
		return unless(got == want, got)
	})
}

func approvedByAnnotation(t *testing.T, w *world) {
	r := w.approving("annotated", v1alpha1.ApprovalByAnnotation)
	first := r.push("first", "app.yaml", configMap("annotated", "1"), "policy.yaml", policyFor("annotated", both, ""))
	release := w.held(r, first)
	require.EqualValues(t, 2, release.Status.Summary.Held)
	require.Equal(t, "approval of the plan "+release.Spec.PlanDigest, release.Status.WaitingFor.Message)
	w.federationIs(r, "Ready", metav1.ConditionUnknown, "Held")
	require.True(t, w.absent("cluster-a", "annotated"))
	require.True(t, w.absent("cluster-b", "annotated"))

	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, first)
	require.Equal(t, "1", w.configMap("cluster-a", "annotated").Data["key"])

	hostile := r.push("HostileTrailerWithoutRight", "app.yaml", configMap("annotated", "2"))
	digest := w.held(r, hostile).Spec.PlanDigest
	w.held(r, r.push("the same\n\nAccord-Approve-Plan: "+digest, "note.txt", "nothing"))
	w.ready(r, r.push("back again", "app.yaml", configMap("annotated", "1"), "note.txt", ""))

	// The next one touches one cluster only, removes nothing that it should not, and the plan in force is kept up meanwhile.
	second := r.push("second\n\nAccord-Prune: allow", "policy.yaml", policyFor("annotated", []string{"cluster-a"}, ""))
	release = w.held(r, second)
	require.EqualValues(t, 1, release.Status.Summary.Healthy, "cluster-a gets nothing new")
	require.EqualValues(t, 1, release.Status.Summary.Held)
	w.repaired("cluster-b", "annotated", "1")
	w.approve(release, "sha256:0000, "+first)
	w.repaired("cluster-b", "annotated", "1")
	require.Equal(t, release.Spec.PlanDigest, w.held(r, second).Spec.PlanDigest)

	// It is delivered without another look at the source, which is far away by now.
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Interval = metav1.Duration{Duration: time.Hour} })
	w.federationIs(r, "Ready", metav1.ConditionUnknown, "Held")
	w.approve(release, "sha256:0000, "+release.Spec.PlanDigest)
	release = w.ready(r, second)
	require.True(t, w.absent("cluster-b", "annotated"))
	approved := apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved)
	require.Equal(t, metav1.ConditionTrue, approved.Status)
	require.Equal(t, "the plan "+release.Spec.PlanDigest+" is approved by "+administrator, approved.Message)
	require.Equal(t, administrator, release.Status.ApprovedBy)
}

func approvedByTrailer(t *testing.T, w *world) {
	r := w.approving("trailer", v1alpha1.ApprovalByTrailer)
	first := r.push("first", "app.yaml", configMap("trailer", "1"), "policy.yaml", policyFor("trailer", both, ""))
	digest := w.held(r, first).Spec.PlanDigest
	quoted := r.push("HostileTrailerInTheMiddle\n\nAccord-Approve-Plan: "+digest+"\n\nthe end", "note.txt", "nothing")
	w.approve(w.held(r, quoted), digest) // annotations do not count here
	second := r.push("the same again\n\nAccord-Approve-Plan: "+digest, "note.txt", "nothing that matters")
	release := w.ready(r, second)
	require.Equal(t, digest, release.Spec.PlanDigest)
	require.Equal(t, "1", w.configMap("cluster-b", "trailer").Data["key"])

	third := r.push("nothing changes", "note.txt", "nothing that matters, still")
	approved := apimeta.FindStatusCondition(w.ready(r, third).Status.Conditions, v1alpha1.Approved)
	require.Equal(t, metav1.ConditionTrue, approved.Status)
	require.Contains(t, approved.Message, "changes nothing")

	fourth := r.push("an old approval\n\nAccord-Approve-Plan: "+digest, "app.yaml", configMap("trailer", "2"))
	w.held(r, fourth)
	w.repaired("cluster-a", "trailer", "1")

	broken := r.push("broken", "app.yaml", "kind: [")
	w.condition(r, broken, "Stalled", metav1.ConditionTrue, "BuildFailed")
	w.repaired("cluster-a", "trailer", "1")
	fifth := r.push("back again", "app.yaml", configMap("trailer", "1"))
	w.ready(r, fifth)
}

func approvalRequiredLater(t *testing.T, w *world) {
	r := w.federation("later")
	first := r.push("first", "app.yaml", configMap("later", "1"), "policy.yaml", policyFor("later", both, ""))
	w.ready(r, first)
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Approval = &v1alpha1.ApprovalPolicy{} })
	w.federationIs(r, "Ready", metav1.ConditionTrue, "")
	second := r.push("second", "app.yaml", configMap("later", "2"))
	w.held(r, second)
	require.Equal(t, "1", w.configMap("cluster-a", "later").Data["key"])
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Approval = nil })
	release := w.ready(r, second)
	require.Nil(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved))
	require.Equal(t, "2", w.configMap("cluster-a", "later").Data["key"])
}

func declaredWhenApproved(t *testing.T, w *world) {
	r := w.approving("declaring")
	first := r.push("first", "app.yaml", configMap("declaring", "1"), "policy.yaml", policyFor("declaring", both, ""),
		"far.yaml", "apiVersion: accord.dev/v1alpha1\nkind: Cluster\nmetadata: {name: far, labels: {from: git}}\nspec: {}\n")
	release := w.held(r, first)
	far := &v1alpha1.Cluster{}
	require.Error(t, w.hub.Get(t.Context(), client.ObjectKey{Name: "far"}, far))
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, first)
	require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Name: "far"}, far))
	require.Equal(t, "git", far.Labels["from"])

	second := r.push("far leaves", "far.yaml", "", "app.yaml", configMap("declaring", "2"))
	release = w.held(r, second)
	w.repaired("cluster-a", "declaring", "1")
	require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Name: "far"}, far))
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, second)
	require.Error(t, w.hub.Get(t.Context(), client.ObjectKey{Name: "far"}, far))
}

func restartUnapproved(t *testing.T, w, outer *world) {
	r := w.approving("again")
	first := r.push("first", "app.yaml", configMap("again", "1"), "gone.yaml", configMap("gone", "1"), "policy.yaml", policyFor("again", both, ""))
	release := w.held(r, first)
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, first)
	outer.stop()
	outer.run()
	w.repaired("cluster-a", "again", "1") // what was approved once is in force again
	w.ready(r, first)

	second := r.push("second", "app.yaml", configMap("again", "2"), "gone.yaml", "")
	before := w.held(r, second)
	outer.stop()
	outer.run()
	looked := time.Now().Format(time.RFC3339Nano)
	w.asked(r, v1alpha1.RequestedAtAnnotation, looked)
	release = w.held(r, second)
	require.Equal(t, before.Spec.PlanDigest, release.Spec.PlanDigest)
	require.EqualValues(t, 2, release.Status.Summary.Held)
	for _, cluster := range both {
		require.Equal(t, "1", w.configMap(cluster, "again").Data["key"])
		require.False(t, w.absent(cluster, "gone"))
	}
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, second)
	require.Equal(t, "2", w.configMap("cluster-a", "again").Data["key"])
	require.True(t, w.absent("cluster-b", "gone"))
}

// Without a hub there is no Release to annotate: only the commit itself can approve.
func TestOnceApproval(t *testing.T) {
	r := newRepository(t)
	once := func() (reconciler.OnceResult, error) {
		fed := v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "pipeline", Name: "once"}}
		fed.Spec.Approval, fed.Spec.Sources = &v1alpha1.ApprovalPolicy{By: []v1alpha1.ApprovalMethod{v1alpha1.ApprovalByTrailer}}, []v1alpha1.Source{r.source("main")}
		fed.Spec.Sources[0].Timeout.Duration = time.Minute
		return reconciler.Once(t.Context(), reconciler.OnceOptions{Federation: fed, CacheDir: t.TempDir(), Sources: everySource(), Log: logr.Discard()})
	}
	r.push("first", "app.yaml", configMap("once", "1"))
	_, err := once()
	require.ErrorContains(t, err, "is not approved, and there is no hub to approve it on")
	line := regexp.MustCompile(`Accord-Approve-Plan: sha256:[0-9a-f]{64}`).FindString(err.Error())
	require.NotEmpty(t, line)
	r.push("second\n\n" + line)
	done, err := once()
	require.NoError(t, err)
	require.Equal(t, line, "Accord-Approve-Plan: "+done.Release.Spec.PlanDigest)
}
