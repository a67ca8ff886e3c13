package reconciler_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/kwok"
)

// notified: a receiver gets one signed request for each event of a commit.
func notified(t *testing.T, w *world) {
	var mu sync.Mutex
	var sent []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		signed := hmac.New(sha256.New, []byte(forgeToken))
		signed.Write(body)
		var m struct{ Event, Release, Text string }
		if err != nil || json.Unmarshal(body, &m) != nil || in.Header.Get("X-Signature") != fmt.Sprintf("sha256=%x", signed.Sum(nil)) {
			t.Errorf("the request is not signed or cannot be read: %s", body)
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, m.Release+" "+m.Text)
	}))
	t.Cleanup(server.Close)
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "receiver"}, Data: map[string][]byte{
		"url": []byte(server.URL + "/" + forgeToken), "key": []byte(forgeToken), "ca.crt": authority(server),
	}})
	r := newRepository(t)
	r.federation = "notified"
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Notifications = []v1alpha1.Notification{{
			Name: "receiver", SecretRef: corev1.LocalObjectReference{Name: "receiver"}, Template: "{event} {subject}",
			Events: []v1alpha1.ReleaseEvent{v1alpha1.ReleaseDone, v1alpha1.ReleaseFailed, v1alpha1.ReleaseHalted},
		}}
	})
	var want []string
	arrives := func(sha, text string) {
		want = append(want, "notified-"+sha[:12]+" "+text)
		w.eventually("the receiver to get "+text, func() error {
			mu.Lock()
			defer mu.Unlock()
			return unless(len(sent) == len(want), fmt.Sprint(sent))
		})
		require.Equal(t, want, sent)
	}
	arrives(r.push("first", "app.yaml", configMap("notified", "1"), "policy.yaml", policyFor("notified", both, "")), "Done first")
	arrives(r.push("broken", "app.yaml", "kind: ["), "Failed broken")
	arrives(r.push("mended", "app.yaml", configMap("notified", "2")), "Done mended")
	stuck := r.push("stuck", "web.yaml", deployment("nginx:"+kwok.BadTag), "deployments.yaml", deployments, "stages.yaml", `apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: standard}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  stages: [{name: canary, clusterAffinity: {clusterNames: [cluster-a]}}]
  progressDeadline: 1s
`)
	arrives(stuck, "Halted stuck")
}
