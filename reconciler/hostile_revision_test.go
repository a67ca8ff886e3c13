package reconciler_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// hostileApplyAsAccord applies another value under accord's field manager, with the digest that accord wrote.
func hostileApplyAsAccord(t *testing.T, w *world) {
	r := w.federation("as-accord")
	w.ready(r, r.push("one object", "app.yaml", configMap("as-accord", "1"), "policy.yaml", policyFor("as-accord", both, "")))
	seen := w.configMap("cluster-a", "as-accord")
	forged := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: seen.Namespace, Name: seen.Name, Labels: seen.Labels, Annotations: seen.Annotations},
		Data:       map[string]string{"key": "forged"},
	}
	require.NoError(t, w.members["cluster-a"].Patch(t.Context(), forged, client.Apply, client.FieldOwner("accord"), client.ForceOwnership))
	w.eventually("the forged value to be repaired", func() error {
		return unless(w.configMap("cluster-a", "as-accord").Data["key"] == "1", "not repaired")
	})
	w.eventually("the forged value to be reported", func() error {
		c := apimeta.FindStatusCondition(w.delivery(r, "cluster-a").Status.Conditions, v1alpha1.Drifted)
		return unless(c != nil && strings.Contains(c.Message, "data.key changed by accord"), fmt.Sprint(c))
	})
}

// hostilePoisonRevision reads a revision that has the mark of two deaths.
func hostilePoisonRevision(t *testing.T, w *world) {
	r := w.federation("poison")
	w.ready(r, r.push("harmless", "app.yaml", configMap("poison", "1"), "policy.yaml", policyFor("poison", both, "")))
	w.suspend(r, true)
	w.federationIs(r, "Suspended", metav1.ConditionTrue, "")
	sha := r.push("poison", "app.yaml", configMap("poison", "2"))
	name := w.namespace + "/" + r.federation
	file := filepath.Join(w.cache, "planning", fmt.Sprintf("%x.json", sha256.Sum256([]byte(name))))
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `{"federation":%q,"revision":"main@sha1:%s","begun":2}`, name, sha), 0o600))
	w.suspend(r, false)
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "PoisonRevision")
	require.Contains(t, strings.Join(release.Status.Errors, "\n"), "poison revision: the process died 2 times")
	require.Equal(t, "1", w.configMap("cluster-a", "poison").Data["key"], "nothing changes")

	w.asked(r, v1alpha1.RequestedAtAnnotation, time.Now().Format(time.RFC3339Nano))
	require.Equal(t, "1", w.configMap("cluster-a", "poison").Data["key"], "an ordinary request does not lift the refusal")
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Annotations[v1alpha1.RetryPoisonedAnnotation] = "now" })
	w.ready(r, sha)
	w.eventually("the mark to be removed", func() error {
		_, err := os.Stat(file)
		return unless(os.IsNotExist(err), "it is there")
	})
}
