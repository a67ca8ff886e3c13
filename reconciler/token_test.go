package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/clusters"
)

// hostileOldToken: a copy of a token is of no use ten minutes later. accord replaces the token twice, with the rights of the
// ServiceAccount on a real API server, and the cluster gets each commit meanwhile.
func hostileOldToken(t *testing.T, w *world, r *repository) {
	defer w.ahead.Store(0)
	secret := &corev1.Secret{}
	stored := func() string {
		require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "cluster-b"}, secret))
		return string(secret.Data[clusters.TokenKey])
	}
	long := stored()
	token := w.shortToken("cluster-b")
	secret.Data[clusters.TokenKey] = []byte(token)
	require.NoError(t, w.hub.Update(t.Context(), secret))
	w.ready(r, r.push("with the token of ten minutes", "app.yaml", configMap("placed", "short")))
	since := apimeta.FindStatusCondition(w.cluster("cluster-b").Status.Conditions, "Ready").LastTransitionTime

	for i, ahead := range []time.Duration{6 * time.Minute, 7 * time.Minute} {
		require.Equal(t, token, stored(), "half of its life is not over, or it was renewed a moment ago")
		before, _ := clusters.ReadToken(token)
		time.Sleep(time.Until(before.Issued.Add(time.Second))) // so that the next one differs
		w.ahead.Store(int64(ahead))
		w.eventually("the Secret to have another token", func() error { return unless(stored() != token, "the same token") })
		token = stored()
		after, renewable := clusters.ReadToken(token)
		require.True(t, renewable)
		require.Equal(t, before.Account, after.Account)
		require.Equal(t, 10*time.Minute, after.Expires.Sub(after.Issued))
		require.True(t, after.Expires.After(before.Expires), "it ends later")
		value := fmt.Sprintf("renewed %d", i)
		w.ready(r, r.push(value, "app.yaml", configMap("placed", value)))
		require.Equal(t, value, w.configMap("cluster-b", "placed").Data["key"])
	}
	ready := apimeta.FindStatusCondition(w.cluster("cluster-b").Status.Conditions, "Ready")
	require.Equal(t, metav1.ConditionTrue, ready.Status)
	require.Equal(t, since, ready.LastTransitionTime, "the cluster was connected all the time")

	cfg := rest.AnonymousClientConfig(w.planes["cluster-b"].Config())
	cfg.BearerToken = token
	m, err := clusters.Connect(cfg, "cluster-b")
	require.NoError(t, err)
	defer m.Close()
	err = clusters.Ping(t.Context(), m)
	require.NoError(t, err, "the API server accepts the token of the Secret")

	stored()
	secret.Data[clusters.TokenKey] = []byte(long)
	require.NoError(t, w.hub.Update(t.Context(), secret))
}

// shortToken returns a token of accord's account on a cluster with the shortest life that API servers grant.
func (w *world) shortToken(cluster string) string {
	w.t.Helper()
	k, err := kubernetes.NewForConfig(w.planes[cluster].Config())
	require.NoError(w.t, err)
	ask := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](600)}}
	token, err := k.CoreV1().ServiceAccounts("accord-system").CreateToken(w.t.Context(), "accord", ask, metav1.CreateOptions{})
	require.NoError(w.t, err)
	return token.Status.Token
}
