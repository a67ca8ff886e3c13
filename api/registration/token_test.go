package registration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/registration"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func newToken() registration.Token {
	return registration.Token{ID: "abcdef", Secret: "0123456789abcdef", Clusters: "edge-*", Uses: 2, Expires: now.Add(time.Hour), Description: "shops"}
}

func TestTokenKeepsItsSecret(t *testing.T) {
	token, secret := newToken().Used("r1", now), &corev1.Secret{}
	token.Put(secret)
	require.Equal(t, "kube-system/bootstrap-token-abcdef", secret.Namespace+"/"+secret.Name)
	require.Equal(t, map[string]string{"accord.dev/clusters": "edge-*", "accord.dev/uses": "2", "accord.dev/used-by": "r1"}, secret.Annotations)
	require.Equal(t, "system:bootstrappers:accord:clusters", string(secret.Data["auth-extra-groups"]))
	read, err := registration.ReadToken(secret)
	require.NoError(t, err)
	require.Equal(t, token, read)

	for name, c := range map[string]struct {
		edit func(*corev1.Secret)
		want string
	}{
		"another namespace": {func(s *corev1.Secret) { s.Namespace = "default" }, "not a bootstrap token"},
		"another type":      {func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque }, "not a bootstrap token"},
		"another ID":        {func(s *corev1.Secret) { s.Data["token-id"] = []byte("ghijkl") }, "not a bootstrap token"},
		"another group":     {func(s *corev1.Secret) { s.Data["auth-extra-groups"] = []byte("system:bootstrappers:kubeadm") }, "not a token of accord"},
		"no clusters":       {func(s *corev1.Secret) { delete(s.Annotations, registration.ClustersAnnotation) }, "not a token of accord"},
		"a bad pattern":     {func(s *corev1.Secret) { s.Annotations[registration.ClustersAnnotation] = "[" }, "syntax error in pattern"},
		"a short secret":    {func(s *corev1.Secret) { s.Data["token-secret"] = []byte("x") }, "a token is ID.SECRET"},
		"no end":            {func(s *corev1.Secret) { delete(s.Data, "expiration") }, "its expiration is not a time"},
		"no uses":           {func(s *corev1.Secret) { s.Annotations[registration.UsesAnnotation] = "0" }, "expected a number of at least 1"},
	} {
		broken := secret.DeepCopy()
		c.edit(broken)
		_, err := registration.ReadToken(broken)
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestLastUseEndsTheToken(t *testing.T) {
	token := newToken()
	require.Equal(t, 2, token.Left())
	once := token.Used("r1", now)
	require.Equal(t, 1, once.Left())
	require.Equal(t, token.Expires, once.Expires)
	require.Equal(t, once, once.Used("r1", now), "a request counts once")
	twice := once.Used("r2", now)
	require.Equal(t, 0, twice.Left())
	require.Equal(t, now.Add(registration.AfterLastUse), twice.Expires)
	require.Equal(t, []types.UID{"r1"}, once.UsedBy, "the earlier token does not change")
	late := once
	late.Expires = now.Add(time.Second)
	require.Equal(t, late.Expires, late.Used("r2", now).Expires, "a use never prolongs a token")
	require.False(t, twice.Expired(now))
	require.True(t, twice.Expired(twice.Expires))
	require.True(t, registration.Token{}.Expired(now))
}

func TestNames(t *testing.T) {
	token := newToken()
	for name, want := range map[string]bool{"edge-1": true, "edge-": true, "edge": false, "xedge-1": false, "": false} {
		require.Equal(t, want, token.Permits(name), name)
	}
	require.Equal(t, "abcdef", registration.TokenID(token.User()))
	require.Empty(t, registration.TokenID("system:accord:agent:eu"))
	for _, name := range []string{"accord", "hub", "system", "", "-a", "a.b", "A"} {
		require.Error(t, registration.CheckClusterName(name), name)
	}
	require.NoError(t, registration.CheckClusterName("eu-1"))
	for _, text := range []string{"", "abcdef", "abcdef.0123456789abcde", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcdef\n"} {
		_, _, err := registration.SplitToken(text)
		require.Error(t, err, text)
	}
}
