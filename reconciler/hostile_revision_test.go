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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

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
