package apply

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/reconciler/apply/live"
)

const forcedText = "annotations: {accord.dev/force: enabled}"

// immutableMap is a ConfigMap whose data the API server does not let change.
func immutableMap(value, metadata string) string {
	return namespaceYAML + "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixed, namespace: NS, " + metadata + "}\nimmutable: true\ndata: {key: \"" + value + "\"}\n---\n"
}

func TestImmutableIsReportedWithTheWayOut(t *testing.T) {
	w := newWorld(t, "fixed-hint")
	w.delivered(w.target(immutableMap("1", "labels: {}")))
	before := w.get("ConfigMap", w.namespace, "fixed").GetUID()
	o := w.deliver(w.target(immutableMap("2", "labels: {}")))
	err := o.Errors[w.id("ConfigMap", "fixed")]
	require.ErrorContains(t, err, "accord.dev/force: enabled")
	require.ErrorContains(t, err, "immutable")
	require.Equal(t, live.Rejected, problemOf(err).Reason)
	require.False(t, problemOf(err).Retry)
	require.Equal(t, before, w.get("ConfigMap", w.namespace, "fixed").GetUID())
}

func TestImmutableIsMadeAnewWhereGitAllowsIt(t *testing.T) {
	w := newWorld(t, "fixed-forced")
	w.delivered(w.target(immutableMap("1", forcedText)))
	before := w.get("ConfigMap", w.namespace, "fixed").GetUID()
	want := w.target(immutableMap("2", forcedText))

	trial, err := DryRun(t.Context(), w.member, w.federation, want, &w.live, read(w.inventory...), DryRunOptions{})
	require.NoError(t, err)
	require.Empty(t, trial.Rejected, "a preflight does not stop it")
	require.Equal(t, before, w.get("ConfigMap", w.namespace, "fixed").GetUID(), "nor does it do it")

	o := w.delivered(want)
	id := w.id("ConfigMap", "fixed")
	require.Contains(t, o.Recreated, id)
	require.Contains(t, o.Applied, id)
	require.Empty(t, o.Drift)
	after := w.get("ConfigMap", w.namespace, "fixed")
	require.NotEqual(t, before, after.GetUID())
	require.Equal(t, map[string]any{"key": "2"}, after.Object["data"])
	require.Zero(t, w.delivered(want).Requests, "and that is all")
}

// What would be refused anew, too, is not deleted.
func TestNothingIsDeletedThatCannotBeMadeAgain(t *testing.T) {
	w := newWorld(t, "fixed-refused")
	w.delivered(w.target(immutableMap("1", forcedText)))
	before := w.get("ConfigMap", w.namespace, "fixed").GetUID()
	w.meanwhile = func(r *http.Request) {
		if strings.Contains(r.URL.Path, "accord-rehearsal-") {
			r.Header.Set("Content-Type", "application/nonsense") // an API server that does not take the new one
		}
	}
	o := w.deliver(w.target(immutableMap("2", forcedText)))
	require.ErrorContains(t, o.Errors[w.id("ConfigMap", "fixed")], "stays as it is")
	require.Empty(t, o.Recreated)
	require.Equal(t, before, w.get("ConfigMap", w.namespace, "fixed").GetUID())
}

// Only the object that was seen is deleted: one that somebody made in its place is his.
func TestOnlyWhatWasSeenIsDeleted(t *testing.T) {
	w := newWorld(t, "fixed-swapped")
	w.delivered(w.target(immutableMap("1", forcedText)))
	w.meanwhile = func(r *http.Request) {
		if r.Method == http.MethodDelete {
			w.meanwhile = nil
			w.remove("ConfigMap", "fixed")
			w.create("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixed, namespace: NS}\ndata: {key: theirs}\n")
		}
	}
	o := w.deliver(w.target(immutableMap("2", forcedText)))
	require.Error(t, o.Errors[w.id("ConfigMap", "fixed")])
	require.Equal(t, map[string]any{"key": "theirs"}, w.get("ConfigMap", w.namespace, "fixed").Object["data"])
}

// A Deployment goes with its pods before the new one comes; until then it is not made, and not deleted a second time.
func TestWhatMakesPodsIsAwaited(t *testing.T) {
	w := newWorld(t, "fixed-pods")
	text := func(app string) string {
		return namespaceYAML + strings.NewReplacer("metadata: {name: web, namespace: NS}", "metadata: {name: web, namespace: NS, "+forcedText+"}", "app: web", "app: "+app).Replace(deploymentYAML)
	}
	w.delivered(w.target(text("web")))
	id, want := w.id("Deployment", "web"), w.target(text("shop"))
	w.edit("Deployment", "web", func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/pods"}) })
	var deletions []string
	w.meanwhile = func(r *http.Request) {
		if r.Method == http.MethodDelete {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			r.Body = io.NopCloser(bytes.NewReader(body))
			deletions = append(deletions, string(body))
		}
	}
	for range 2 {
		o := w.deliver(want)
		require.ErrorContains(t, o.Errors[id], "being deleted")
		require.True(t, problemOf(o.Errors[id]).Retry)
		require.NotNil(t, w.get("Deployment", w.namespace, "web").GetDeletionTimestamp())
	}
	require.Len(t, deletions, 1)
	require.Contains(t, deletions[0], string(metav1.DeletePropagationForeground))
	w.edit("Deployment", "web", func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	o := w.delivered(want)
	require.Contains(t, o.Applied, id)
	selector, _, err := unstructured.NestedString(w.get("Deployment", w.namespace, "web").Object, "spec", "selector", "matchLabels", "app")
	require.NoError(t, err)
	require.Equal(t, "shop", selector)
}

func TestWhatProvesThatAFieldCannotBeChanged(t *testing.T) {
	invalid := func(causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity, Details: &metav1.StatusDetails{Causes: causes}}}
	}
	selector := metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.selector", Message: `Invalid value: {}: field is immutable`}
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"the field is named":                 {invalid(selector), []string{"spec.selector"}},
		"of a RoleBinding":                   {invalid(metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "roleRef", Message: "cannot change roleRef"}), []string{"roleRef"}},
		"another field is wrong, too":        {invalid(selector, metav1.StatusCause{Type: metav1.CauseTypeFieldValueRequired, Field: "spec.x", Message: "Required"}), nil},
		"another field is wrong":             {invalid(metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.x", Message: "must be positive"}), nil},
		"no field":                           {invalid(metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Message: "immutable"}), nil},
		"422 and nothing else":               {invalid(), nil},
		"409":                                {apierrors.NewConflict(configMapsResource.GroupResource(), "x", errors.New("field is immutable")), nil},
		"only the text":                      {errors.New("field is immutable"), nil},
		"a webhook that says so, with a 403": {apierrors.NewForbidden(configMapsResource.GroupResource(), "x", errors.New("field is immutable")), nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, immutableIn(c.err)) })
	}
}
