package clusters

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MinTokenLife is the shortest life of a token that API servers grant.
const MinTokenLife = 10 * time.Minute

// tokenCharacters are those of a JWT.
const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// Token is the content of a token that an API server issued for a ServiceAccount (TokenRequest).
type Token struct {
	Account types.NamespacedName
	// Secret, on the member, ends the token when it is deleted; nil if the token is bound to none.
	Secret          *authenticationv1.BoundObjectReference
	Issued, Expires time.Time
}

// ReadToken returns the content of a token, without checking its signature. It reports false for a token of another kind, and
// for one that does not expire: accord renews neither.
func ReadToken(token string) (Token, bool) {
	token = strings.TrimSpace(token)
	parts := strings.Split(token, ".")
	if len(parts) != 3 || strings.ContainsFunc(token, func(r rune) bool { return !strings.ContainsRune(tokenCharacters, r) }) {
		return Token{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Issued     int64 `json:"iat"`
		Expires    int64 `json:"exp"`
		Kubernetes struct {
			Namespace string `json:"namespace"`
			Account   struct {
				Name string `json:"name"`
			} `json:"serviceaccount"`
			Secret *struct {
				Name string    `json:"name"`
				UID  types.UID `json:"uid"`
			} `json:"secret"`
		} `json:"kubernetes.io"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return Token{}, false
	}
	k := claims.Kubernetes
	t := Token{
		Account: types.NamespacedName{Namespace: k.Namespace, Name: k.Account.Name},
		Issued:  time.Unix(claims.Issued, 0), Expires: time.Unix(claims.Expires, 0),
	}
	if k.Secret != nil {
		t.Secret = &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Secret", Name: k.Secret.Name, UID: k.Secret.UID}
	}
	return t, k.Namespace != "" && k.Account.Name != "" && claims.Issued > 0 && claims.Expires > claims.Issued
}

// RenewAt is the time from which accord renews the token: half of its life is left then.
func (t Token) RenewAt() time.Time { return t.Issued.Add(t.life() / 2) }

// RetryAfter is the least time between two attempts to renew the token.
func (t Token) RetryAfter() time.Duration { return t.life() / 20 }

func (t Token) life() time.Duration { return t.Expires.Sub(t.Issued) }

// RenewToken requests a token of the same account and the same life, and returns it. The connection goes on with the old one
// until SetToken.
func (m *Member) RenewToken(ctx context.Context, t Token) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, RequestTimeout)
	defer cancel()
	seconds := int64(t.life() / time.Second)
	body, err := json.Marshal(authenticationv1.TokenRequest{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(), Kind: "TokenRequest"},
		Spec:     authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds, BoundObjectRef: t.Secret},
	})
	if err != nil {
		return "", err
	}
	answer, err := m.client.Post().AbsPath("/api/v1/namespaces", t.Account.Namespace, "serviceaccounts", t.Account.Name, "token").
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Raw()
	if apierrors.IsForbidden(err) {
		return "", fmt.Errorf("%w; grant its role there: {apiGroups: [\"\"], resources: [serviceaccounts/token], resourceNames: [%s], verbs: [create]}, in namespace %s",
			err, t.Account.Name, t.Account.Namespace)
	} else if err != nil {
		return "", err
	}
	var granted authenticationv1.TokenRequest
	if err := json.Unmarshal(answer, &granted); err != nil || granted.Status.Token == "" {
		return "", errors.New("the answer to the request of a token has none")
	}
	next, valid := ReadToken(granted.Status.Token)
	switch {
	case !valid:
		return "", errors.New("the cluster answered with a token that does not name its account and its end")
	case next.Account != t.Account:
		return "", fmt.Errorf("the cluster answered with a token of ServiceAccount %s, and not of %s", next.Account, t.Account)
	case next.life() < MinTokenLife:
		return "", fmt.Errorf("the cluster answered with a token of %s, and API servers grant %s at least", next.life(), MinTokenLife)
	}
	return granted.Status.Token, nil
}

// SetToken has all further requests use a token. Watches that are open stay open.
func (m *Member) SetToken(token string) { m.token.Store(&token) }

// HasToken reports whether requests use this token.
func (m *Member) HasToken(token string) bool {
	current := m.token.Load()
	return current != nil && *current == token
}

// bearer sets the token of a member on every request.
type bearer struct {
	token *atomic.Pointer[string]
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+*b.token.Load())
	return b.next.RoundTrip(r)
}

// WrappedRoundTripper implements net.RoundTripperWrapper.
func (b bearer) WrappedRoundTripper() http.RoundTripper { return b.next }
