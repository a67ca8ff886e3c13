package clusters

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestReadToken(t *testing.T) {
	for name, token := range map[string]string{
		"no JWT": "sesame", "no claims": "a.b.c", "no account": "a.e30.c", "empty": "",
	} {
		_, renewable := ReadToken(token)
		require.False(t, renewable, name)
	}
	token := Token{Issued: time.Unix(0, 0), Expires: time.Unix(600, 0)}
	require.Equal(t, time.Unix(300, 0), token.RenewAt())
	require.Equal(t, 30*time.Second, token.RetryAfter())
}

// TestTokenIsRenewed: a token of ten minutes requests its successor, the connection goes on with that one, and both end with the
// Secret to which they are bound.
func TestTokenIsRenewed(t *testing.T) {
	admin := plane.Config()
	k := kubernetes.NewForConfigOrDie(admin)
	const ns, account = "default", "renewed"
	_, err := k.CoreV1().ServiceAccounts(ns).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	bound, err := k.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	seconds := int64(600)
	r, err := k.CoreV1().ServiceAccounts(ns).CreateToken(t.Context(), account, &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds, BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Secret", Name: bound.Name, UID: bound.UID},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	cfg := rest.AnonymousClientConfig(admin)
	cfg.BearerToken = r.Status.Token
	m := connect(t, cfg)

	token, renewable := ReadToken(r.Status.Token)
	require.True(t, renewable)
	require.Equal(t, 10*time.Minute, token.life())
	require.Equal(t, account, token.Account.Name)
	require.Equal(t, bound.UID, token.Secret.UID)
	_, err = m.RenewToken(t.Context(), token)
	require.ErrorContains(t, err, "grant its role there: {apiGroups: [\"\"], resources: [serviceaccounts/token], resourceNames: [renewed], verbs: [create]}, in namespace default")

	allowRenewal(t, k, ns, account)
	var next string
	require.Eventually(t, func() bool { next, err = m.RenewToken(t.Context(), token); return err == nil }, time.Minute, 50*time.Millisecond)
	renewed, renewable := ReadToken(next)
	require.True(t, renewable)
	require.NotEqual(t, r.Status.Token, next)
	require.Equal(t, token.life(), renewed.life())
	require.Equal(t, token.Secret, renewed.Secret)

	m.SetToken("wrong")
	err = Ping(t.Context(), m)
	require.Equal(t, AuthFailed, Reason(err))
	m.SetToken(next)
	require.Eventually(t, func() bool { err := Ping(t.Context(), m); return err == nil }, time.Minute, 100*time.Millisecond, "as soon as the breaker lets a probe pass")

	require.NoError(t, k.CoreV1().Secrets(ns).Delete(t.Context(), bound.Name, metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { err := Ping(t.Context(), m); return apierrors.IsUnauthorized(err) }, time.Minute, 200*time.Millisecond)
}

// TestHostileToken: a member that answers with another token than accord requested does not have it stored on the hub.
func TestHostileToken(t *testing.T) {
	claims := func(account string, life int) string {
		text := fmt.Sprintf(`{"iat":1800000000,"exp":%d,"kubernetes.io":{"namespace":"accord-system","serviceaccount":{"name":%q}}}`, 1_800_000_000+life, account)
		return "h." + base64.RawURLEncoding.EncodeToString([]byte(text)) + ".s"
	}
	token, renewable := ReadToken(claims("accord", 600))
	require.True(t, renewable)
	for name, c := range map[string]struct{ answer, refusal string }{
		"of another account": {claims("loot", 600), "a token of ServiceAccount accord-system/loot, and not of accord-system/accord"},
		"that ends at once":  {claims("accord", 1), "a token of 1s, and API servers grant 10m0s at least"},
		"that never ends":    {claims("accord", 0), "does not name its account and its end"},
		"no token":           {"sesame", "does not name its account and its end"},
		"a second header":    {claims("accord", 600) + "\r\nX-Loot: 1", "does not name its account and its end"},
		"nothing":            {"", "the answer to the request of a token has none"},
		"the requested one":  {claims("accord", 600), ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := connect(t, served(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"status":{"token":%q}}`, c.answer)
			}))
			next, err := m.RenewToken(t.Context(), token)
			if c.refusal == "" {
				require.NoError(t, err)
				require.Equal(t, c.answer, next)
				return
			}
			require.ErrorContains(t, err, c.refusal)
			require.Empty(t, next)
		})
	}
}

// allowRenewal lets an account request tokens of itself.
func allowRenewal(t *testing.T, k kubernetes.Interface, ns, account string) {
	t.Helper()
	name := metav1.ObjectMeta{Name: account}
	_, err := k.RbacV1().Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: name, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, ResourceNames: []string{account}, Verbs: []string{"create"}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = k.RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: name, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}
