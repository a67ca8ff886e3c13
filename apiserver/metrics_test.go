package apiserver_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveMetrics gives the member a small metrics server, which knows the pod web, and alice the right to read it.
func (p *proxies) serveMetrics() {
	const group = "/apis/metrics.k8s.io/v1beta1"
	const usage = `{"metadata":{"name":"web","namespace":"default"},"timestamp":"2026-01-01T00:00:00Z","window":"30s","containers":[{"name":"app","usage":{"cpu":"250m","memory":"64Mi"}}]}`
	mux := http.NewServeMux()
	for path, answer := range map[string]string{
		group:                              `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"metrics.k8s.io/v1beta1","resources":[{"name":"pods","namespaced":true,"kind":"PodMetrics","verbs":["get","list"]}]}`,
		group + "/namespaces/default/pods": `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[` + usage + `]}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
		})
	}
	server := httptest.NewTLSServer(mux)
	p.Cleanup(server.Close)
	c := p.on(p.member.Config())
	_, err := c.CoreV1().Services("default").Create(p.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "metrics"}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{})
	require.NoError(p, err)
	admin := p.client(p.member.Config())
	status, _, text := p.try(&admin, http.MethodPost, p.member.Config().Host+"/apis/apiregistration.k8s.io/v1/apiservices", fmt.Sprintf(`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",
		"metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":"metrics.k8s.io","version":"v1beta1","groupPriorityMinimum":100,"versionPriority":100,"insecureSkipTLSVerify":true,
		"service":{"namespace":"default","name":"metrics","port":%d}}}`, server.Listener.Addr().(*net.TCPAddr).Port), "Content-Type: application/json")
	require.Equal(p, http.StatusCreated, status, "%s", text)
	p.bind(c, "reads-metrics", person("alice"), rbacv1.PolicyRule{APIGroups: []string{"metrics.k8s.io"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}})
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		status, _, text := p.try(&admin, http.MethodGet, p.member.Config().Host+group+"/namespaces/default/pods", "")
		require.Equal(t, http.StatusOK, status, "%s", text)
	}, patience, 50*time.Millisecond)
}
