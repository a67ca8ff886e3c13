package apiserver_test

import (
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func (p *proxies) foreignTunnels() {
	p.bind(p.on(p.hub), "reads-all", person("reader"), rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get"}})
	as := func(user string) http.Client {
		cfg := rest.CopyConfig(p.hub)
		cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
		return p.client(cfg)
	}
	upgrade := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}
	for user, want := range map[string]string{
		delivery.AgentUser("push", "1"): `cannot get resource "bundles/attach"`, "alice": `cannot get resource "bundles/attach"`, "reader": "only the agent of cluster \"pull\"",
	} {
		c := as(user)
		s := p.refused(http.StatusForbidden, &c, http.MethodGet, path+"/pull/attach", "", upgrade...)
		require.Contains(p, s.Message, want, user)
	}
	own := as(delivery.AgentUser("pull", "1"))
	p.refused(http.StatusForbidden, &own, http.MethodGet, path+"/push/attach", "", upgrade...)
	s := p.refused(http.StatusBadRequest, &own, http.MethodGet, path+"/pull/attach", "")
	require.Contains(p, s.Message, "WebSocket")
}

// reaches reports the error of alice on cluster pull.
func (p *proxies) reaches() error {
	_, err := p.on(p.through("pull", "alice")).Discovery().RESTClient().Get().AbsPath("/version").MaxRetries(0).DoRaw(p.Context())
	return err
}

func (p *proxies) awaitReached() {
	p.Helper()
	require.Eventually(p, func() bool { return p.reaches() == nil }, patience, 50*time.Millisecond)
}

func (p *proxies) revoked() {
	p.awaitReached()
	bindings := p.on(p.hub).RbacV1().ClusterRoleBindings()
	binding, err := bindings.Get(p.Context(), "agent-pull", metav1.GetOptions{})
	require.NoError(p, err)
	p.store.Hear("pull", delivery.AgentUser("pull", "1"), time.Minute)
	require.NoError(p, bindings.Delete(p.Context(), "agent-pull", metav1.DeleteOptions{}))
	require.Eventually(p, func() bool { return apierrors.IsServiceUnavailable(p.reaches()) }, patience, 50*time.Millisecond)
	binding.ResourceVersion = ""
	_, err = bindings.Create(p.Context(), binding, metav1.CreateOptions{})
	require.NoError(p, err)
	p.awaitReached()
}

func (p *proxies) sameName() {
	c := p.kinds()
	p.awaitReached()
	require.NoError(p, c.Delete(p.Context(), &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "pull"}}))
	require.True(p, apierrors.IsNotFound(p.reaches()))
	p.declare("pull", v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull})
	require.True(p, apierrors.IsServiceUnavailable(p.reaches()), "the tunnel belongs to an earlier Cluster")
	p.agents()
	p.runAgent()
	p.awaitReached()
}

func (p *proxies) nextServer() {
	events, err := p.on(p.through("pull", "alice")).CoreV1().Pods("default").Watch(p.Context(), metav1.ListOptions{})
	require.NoError(p, err)
	defer events.Stop()
	start := time.Now()
	p.stop()
	require.Less(p, time.Since(start), 10*time.Second, "an open tunnel or watch delays the end of the server")
	for range events.ResultChan() {
	}
	_, p.stop = serve(p.whole, p.hub, p.store)
	p.awaitReached()
}
