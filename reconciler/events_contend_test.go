package reconciler_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// contend has a member answer the first few writes of a ConfigMap with 409 Conflict, as an API server does when somebody
// else writes the same object at the same moment. answered says how many of them it answered so.
func (w *world) contend(cluster, name string, times int64) (answered func() int64) {
	w.t.Helper()
	var asked, refused atomic.Int64
	hook := httptest.NewTLSServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(to, "no review", http.StatusBadRequest)
			return
		}
		answer := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		written := review.Request.DryRun == nil || !*review.Request.DryRun // a preflight does not contend
		if review.Request.Name == name && written && refused.Load() < times {
			refused.Add(1)
			answer.Allowed = false
			answer.Result = &metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the object has been modified"}
		}
		review.Request, review.Response = nil, answer
		_ = json.NewEncoder(to).Encode(review) // whoever went away does not need it
	}))
	w.t.Cleanup(hook.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw})
	none, failing := registrationv1.SideEffectClassNone, registrationv1.Fail
	config := &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "contend"},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name: "contend.example.com", AdmissionReviewVersions: []string{"v1"}, SideEffects: &none, FailurePolicy: &failing,
			ClientConfig: registrationv1.WebhookClientConfig{URL: &hook.URL, CABundle: authority},
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Create, registrationv1.Update},
				Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "shop"}},
		}},
	}
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), config))
	w.t.Cleanup(func() {
		ctx := context.WithoutCancel(w.t.Context()) // which ended with the test
		require.NoError(w.t, w.members[cluster].Delete(ctx, config))
		require.Eventually(w.t, func() bool { // the API server forgets the webhook a moment later
			calls := asked.Load()
			probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", GenerateName: "probe-"}}
			return w.members[cluster].Create(ctx, probe, client.DryRunAll) == nil && asked.Load() == calls
		}, time.Minute, 50*time.Millisecond)
	})
	return refused.Load
}
