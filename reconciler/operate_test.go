package reconciler_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestOneHubOperated is what those do who run a hub: they suspend, ask for a look, rewrite history, delete by hand, restart.
func TestOneHubOperated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.play(map[string]func(*testing.T, *world){
		"a suspended federation is left alone":       suspended,
		"an annotation asks for a look":              requestedLook,
		"a signed push is live at once":              signedPush,
		"policies and workloads have repositories":   severalSources,
		"history goes back, and is kept for a while": forcePush,
		"what is deleted on the hub comes back":      recordsDeleted,
		"a Federation is deleted and made again":     federationAgain,
		"a repository has nothing in it yet":         emptyRepository,
		"HostileGitServer":                           hostileGitServer,
	})
	t.Run("TestDefectR1", func(t *testing.T) {
		inner := *w
		inner.t = t
		restartWithoutPlan(t, &inner, w)
	})
}

func suspended(t *testing.T, w *world) {
	r := w.federation("suspend")
	first := r.push("first", "app.yaml", configMap("resting", "1"), "policy.yaml", policyFor("resting", both, ""))
	w.ready(r, first)

	w.suspend(r, true)
	w.federationIs(r, "Suspended", metav1.ConditionTrue, "Suspended")
	w.federationIs(r, "Ready", metav1.ConditionTrue, "") // nothing is pending

	second := r.push("second", "app.yaml", configMap("resting", "2"))
	edited := w.configMap("cluster-a", "resting")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited))
	require.NoError(t, w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "resting")))
	release := w.condition(r, first, "Ready", metav1.ConditionUnknown, "Suspended")
	require.EqualValues(t, 1, release.Status.Summary.Held)
	require.EqualValues(t, 1, release.Status.Summary.Healthy)
	w.federationIs(r, "Ready", metav1.ConditionUnknown, "Suspended")

	w.asked(r, v1alpha1.RequestedAtAnnotation, "while it is suspended") // the loop came by, more than once
	require.Equal(t, "by hand", w.configMap("cluster-a", "resting").Data["key"])
	require.True(t, w.absent("cluster-b", "resting"))
	_, err := w.release(r, second)
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	o, err := w.federated(r, "resting")
	require.NoError(t, err)
	require.Equal(t, v1alpha1.Held, o.Status.Clusters[0].State, "status is still collected: %+v", o.Status.Clusters)

	w.suspend(r, false)
	w.ready(r, second)
	require.Equal(t, "2", w.configMap("cluster-a", "resting").Data["key"])
	require.Equal(t, "2", w.configMap("cluster-b", "resting").Data["key"])
}

func requestedLook(t *testing.T, w *world) {
	r := w.seldom("requested", "app.yaml", configMap("requested", "0"), "policy.yaml", policyFor("requested", both, ""))
	for i, annotation := range []string{v1alpha1.RequestedAtAnnotation, "reconcile.fluxcd.io/requestedAt"} {
		value := fmt.Sprint(i + 1)
		sha := r.push("number "+value, "app.yaml", configMap("requested", value))
		w.asked(r, annotation, time.Now().Format(time.RFC3339Nano))
		w.ready(r, sha)
		require.Equal(t, value, w.configMap("cluster-a", "requested").Data["key"])
	}
}

func signedPush(t *testing.T, w *world) {
	r := w.seldom("pushed", "app.yaml", configMap("pushed", "1"), "policy.yaml", policyFor("pushed", both, ""))
	sha := r.push("second", "app.yaml", configMap("pushed", "2"))
	require.Equal(t, http.StatusForbidden, w.knock(r, "another key"))
	require.Equal(t, http.StatusAccepted, w.knock(r, hookKey))
	w.ready(r, sha)
	require.Equal(t, "2", w.configMap("cluster-b", "pushed").Data["key"])
}

func severalSources(t *testing.T, w *world) {
	workloads, policies := newRepository(t), newRepository(t)
	workloads.federation = "several"
	w.follow(policies, "several")
	app := workloads.push("an app", "app.yaml", configMap("several", "1"))
	policy := policies.push("a policy", "policy.yaml", policyFor("several", []string{"cluster-a"}, ""))
	w.declare(workloads, func(spec *v1alpha1.FederationSpec) {
		spec.Sources = []v1alpha1.Source{policies.source("policies"), workloads.source("workloads")}
	})
	first := w.readyOf(workloads, map[string]string{"policies": policy, "workloads": app})
	require.Regexp(t, "^several-[0-9a-f]{12}$", first.Name)
	require.Len(t, first.Spec.Sources, 2)

	policy = policies.push("both clusters", "policy.yaml", policyFor("several", both, ""))
	second := w.readyOf(workloads, map[string]string{"policies": policy, "workloads": app})
	require.NotEqual(t, first.Name, second.Name)
	app = workloads.push("a better app", "app.yaml", configMap("several", "2"))
	w.readyOf(workloads, map[string]string{"policies": policy, "workloads": app})
	require.Equal(t, "2", w.configMap("cluster-b", "several").Data["key"])

	require.NoError(t, os.Rename(policies.bare, policies.bare+".away"))
	w.federationIs(workloads, "Ready", metav1.ConditionFalse, "FetchFailed")
	app = workloads.push("an app without policies", "app.yaml", configMap("several", "3"))
	require.NoError(t, w.members["cluster-a"].Delete(t.Context(), w.configMap("cluster-a", "several")))
	w.eventually("the plan in force to be kept up", func() error { return unless(!w.absent("cluster-a", "several"), "still gone") })
	w.asked(workloads, v1alpha1.RequestedAtAnnotation, "while a source is away")
	require.Equal(t, "2", w.configMap("cluster-a", "several").Data["key"], "nothing new is delivered from half of the sources")
	require.Equal(t, "2", w.configMap("cluster-b", "several").Data["key"])

	require.NoError(t, os.Rename(policies.bare+".away", policies.bare))
	w.readyOf(workloads, map[string]string{"policies": policy, "workloads": app})
	w.federationIs(workloads, "Ready", metav1.ConditionTrue, "")
	require.Equal(t, "3", w.configMap("cluster-b", "several").Data["key"])
}

func forcePush(t *testing.T, w *world) {
	r := w.seldom("history", "app.yaml", configMap("history", "0"), "policy.yaml", policyFor("history", both, ""))
	push := func(value string) string {
		sha := r.push("number "+value, "app.yaml", configMap("history", value))
		require.Equal(t, http.StatusAccepted, w.knock(r, hookKey))
		w.ready(r, sha)
		return sha
	}
	first, second := push("1"), push("2")
	third := push("3")
	w.eventually("the first to stay superseded by the second", func() error {
		release, err := w.release(r, first)
		return unless(err == nil && release.Status.SupersededBy == "history-"+second[:12], release.Status.SupersededBy)
	})

	r.git(r.work, "reset", "--quiet", "--hard", first)
	r.git(r.work, "push", "--quiet", "--force", "origin", "HEAD:main")
	require.Equal(t, http.StatusAccepted, w.knock(r, hookKey))
	w.eventually("the first to be the newest again", func() error {
		release, err := w.release(r, first)
		return unless(err == nil && release.Status.SupersededBy == "", release.Status.SupersededBy)
	})
	release := w.ready(r, first)
	require.Nil(t, apimeta.FindStatusCondition(release.Status.Conditions, "Superseded"))
	require.Equal(t, "1", w.configMap("cluster-a", "history").Data["key"])
	overtaken := w.condition(r, third, "Superseded", metav1.ConditionTrue, "")
	require.Equal(t, release.Name, overtaken.Status.SupersededBy)

	for i := range 10 {
		push(fmt.Sprint("again ", i))
	}
	w.eventually("ten Releases to be kept", func() error {
		list := &v1alpha1.ReleaseList{}
		require.NoError(t, w.hub.List(t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.FederationLabel: "history"}))
		return unless(len(list.Items) == 10, fmt.Sprint(len(list.Items)))
	})
	_, err := w.release(r, first)
	require.True(t, apierrors.IsNotFound(err), "the oldest go: %v", err)
}

// Somebody deletes what we wrote down. It is written down again with the next change of its status, and that is all.
func recordsDeleted(t *testing.T, w *world) {
	r := w.federation("deleted")
	sha := r.push("one object", "app.yaml", configMap("recorded", "1"), "policy.yaml", policyFor("deleted", both, ""))
	release := w.ready(r, sha)
	w.suspend(r, true) // so that what is missing on the members stays missing, and has to be told
	w.federationIs(r, "Suspended", metav1.ConditionTrue, "")
	o, err := w.federated(r, "recorded")
	require.NoError(t, err)
	for _, record := range []client.Object{release, o, w.delivery(r, "cluster-a"), w.delivery(r, "cluster-b")} {
		require.NoError(t, w.hub.Delete(t.Context(), record))
	}
	for _, c := range both {
		require.NoError(t, w.members[c].Delete(t.Context(), w.configMap(c, "recorded")))
	}
	w.condition(r, sha, "Ready", metav1.ConditionUnknown, "Suspended")
	w.suspend(r, false)
	release = w.ready(r, sha)
	require.EqualValues(t, 2, release.Status.Summary.Healthy)
	w.eventually("all records to be back", func() error {
		o, err := w.federated(r, "recorded")
		if err != nil || o.Status.ObservedGeneration != o.Generation {
			return fmt.Errorf("%w: %+v", err, o)
		}
		for _, c := range both {
			d := &v1alpha1.Delivery{}
			if err := w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "deleted-" + c}, d); err != nil {
				return err
			}
			if !apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready") || d.Status.ObservedGeneration != d.Generation {
				return fmt.Errorf("the Delivery is %+v", d.Status)
			}
		}
		return nil
	})
	before := w.log.errors.Load()
	w.ready(r, r.push("another value", "app.yaml", configMap("recorded", "2")))
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that it is quiet")
	require.Equal(t, before, w.log.errors.Load(), "nothing fails for ever")
}

func federationAgain(t *testing.T, w *world) {
	r := w.federation("again")
	sha := r.push("one object", "app.yaml", configMap("lasting", "1"), "policy.yaml", policyFor("again", both, ""))
	w.ready(r, sha)
	before := w.configMap("cluster-a", "lasting").UID

	old := w.declared(r)
	require.NoError(t, w.hub.Delete(t.Context(), old))
	w.declare(r, func(*v1alpha1.FederationSpec) {})
	uid := w.declared(r).UID
	w.eventually("the records to be those of the new Federation", func() error { return w.ownedBy(r, sha, uid) })
	w.ready(r, sha)
	w.eventually("the Federation to be ready", func() error {
		return unless(apimeta.IsStatusConditionTrue(w.declared(r).Status.Conditions, "Ready"), "it is not")
	})

	require.NoError(t, w.hub.Delete(t.Context(), w.declared(r)))
	w.eventually("the records to go with it", func() error {
		_, err := w.release(r, sha)
		return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
	})
	require.Equal(t, before, w.configMap("cluster-a", "lasting").UID, "what was delivered stays")
}

// ownedBy says whether the records of a commit belong to the Federation with that uid.
func (w *world) ownedBy(r *repository, sha string, uid any) error {
	release, err := w.release(r, sha)
	if err != nil {
		return err
	}
	o, err := w.federated(r, "lasting")
	if err != nil {
		return err
	}
	d := &v1alpha1.Delivery{}
	if err := w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-cluster-b"}, d); err != nil {
		return err
	}
	for _, record := range []client.Object{release, o, d} {
		owners := record.GetOwnerReferences()
		if len(owners) != 1 || any(owners[0].UID) != uid {
			return fmt.Errorf("%s is owned by %+v", record.GetName(), owners)
		}
	}
	return nil
}

// emptyRepository: a repository without a commit, and then one without anything to deliver.
func emptyRepository(t *testing.T, w *world) {
	r := w.federation("empty")
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	release := w.ready(r, r.push("nothing but words", "README.md", "Nothing is here yet.\n"))
	require.Zero(t, release.Status.Summary.Total)
}

// hostileGitServer has Federations wait for a server that accepts connections and sends nothing. Another one is reconciled meanwhile.
func hostileGitServer(t *testing.T, w *world) {
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.3:0")
	require.NoError(t, err)
	connected := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			connected <- c
		}
	}()
	var waiting []*v1alpha1.Federation
	for i := range 6 {
		fed := &v1alpha1.Federation{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: fmt.Sprint("waiting-", i)},
			Spec: v1alpha1.FederationSpec{
				Interval: metav1.Duration{Duration: time.Hour},
				Sources:  []v1alpha1.Source{{Name: "main", URL: "https://" + silent.Addr().String() + "/x.git", Timeout: metav1.Duration{Duration: v1alpha1.MaxSourceTimeout}}},
			},
		}
		w.create(fed)
		waiting = append(waiting, fed)
	}
	var held []net.Conn
	for range 4 {
		held = append(held, <-connected)
	}
	r := w.federation("beside")
	w.ready(r, r.push("beside a silent server", "app.yaml", configMap("beside", "1"), "policy.yaml", policyFor("beside", both, "")))
	select {
	case <-connected:
		require.Fail(t, "the Federations of one server have more than their share")
	default:
	}
	for _, fed := range waiting {
		require.NoError(t, w.hub.Delete(t.Context(), fed))
	}
	require.NoError(t, silent.Close())
	for _, c := range held {
		require.NoError(t, c.Close())
	}
}

const hookKey = "it is a secret"

// seldom declares a Federation that is looked at every hour and takes pushes, on a first commit that is live.
func (w *world) seldom(name string, files ...string) *repository {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	sha := r.push("the beginning", files...)
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name + "-hook"},
		StringData: map[string]string{"token": hookKey},
	})
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Interval.Duration = time.Hour
		spec.WebhookSecretRef = &corev1.LocalObjectReference{Name: name + "-hook"}
	})
	w.ready(r, sha)
	return r
}

// knock tells the push hook of a push, signed with a key, and returns its answer.
func (w *world) knock(r *repository, key string) int {
	w.t.Helper()
	body := []byte(`{"ref":"refs/heads/main"}`)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	url := fmt.Sprintf("http://%s/hook/%s/%s", w.hook, w.namespace, r.federation)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(w.t, err)
	request.Header.Set("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	require.NoError(w.t, answer.Body.Close())
	return answer.StatusCode
}

// patch changes the Federation of a repository.
func (w *world) patch(r *repository, change func(*v1alpha1.Federation)) {
	w.t.Helper()
	fed := w.declared(r)
	before := fed.DeepCopy()
	change(fed)
	require.NoError(w.t, w.hub.Patch(w.t.Context(), fed, client.MergeFrom(before)))
}

func (w *world) suspend(r *repository, suspend bool) {
	w.t.Helper()
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Suspend = suspend })
}

// asked asks for a look by annotation and waits until somebody looked.
func (w *world) asked(r *repository, annotation, value string) {
	w.t.Helper()
	w.patch(r, func(fed *v1alpha1.Federation) {
		if fed.Annotations == nil {
			fed.Annotations = map[string]string{}
		}
		fed.Annotations[annotation] = value
	})
	w.eventually("the look to be echoed", func() error {
		got := w.declared(r).Status.LastHandledReconcileAt
		return unless(got == value, got)
	})
}

// federationIs waits until a Federation says so of its newest spec; an empty reason is any.
func (w *world) federationIs(r *repository, kind string, status metav1.ConditionStatus, reason string) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("%s of the Federation to be %s/%s", kind, status, reason), func() error {
		fed := w.declared(r)
		c := apimeta.FindStatusCondition(fed.Status.Conditions, kind)
		if c == nil || c.Status != status || c.ObservedGeneration != fed.Generation || reason != "" && c.Reason != reason {
			return fmt.Errorf("conditions are %+v", fed.Status.Conditions)
		}
		return nil
	})
}

// readyOf waits until there is a Ready Release of these commits, by source.
func (w *world) readyOf(r *repository, commits map[string]string) *v1alpha1.Release {
	w.t.Helper()
	labels := client.MatchingLabels{v1alpha1.FederationLabel: r.federation}
	var names []string
	for name, sha := range commits {
		labels[v1alpha1.RevisionLabelPrefix+name] = sha
		names = append(names, name+" "+sha[:12])
	}
	var found *v1alpha1.Release
	w.eventually("the Release of "+strings.Join(names, ", ")+" to be Ready", func() error {
		list := &v1alpha1.ReleaseList{}
		if err := w.hub.List(w.t.Context(), list, client.InNamespace(w.namespace), labels); err != nil {
			return err
		}
		if len(list.Items) != 1 {
			return fmt.Errorf("%d Releases", len(list.Items))
		}
		found = &list.Items[0]
		c := apimeta.FindStatusCondition(found.Status.Conditions, "Ready")
		return unless(c.Status == metav1.ConditionTrue && c.ObservedGeneration == found.Generation, fmt.Sprintf("%+v", c))
	})
	return found
}
