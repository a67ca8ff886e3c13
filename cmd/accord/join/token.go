package join

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

const (
	// fillLimit is the time for the cluster to fill a token Secret; kube-controller-manager takes milliseconds.
	fillLimit = 3 * time.Second
	// tokenLife is the requested lifetime if the cluster does not fill token Secrets. The API server may grant less.
	tokenLife = 365 * 24 * time.Hour
	// hubAnnotation is the UID of the hub's namespace kube-system, on the token Secrets of this hub.
	hubAnnotation = "accord.dev/hub"
)

// token authenticates the hub as the ServiceAccount accord.
type token struct {
	value string
	// secret is the name of the token's Secret on the member; empty if it has none.
	secret string
	// expires is zero if the token is valid as long as its Secret exists.
	expires time.Time
}

// validity returns "token of Secret accord-system/accord-token-x7k2p, valid until that is deleted".
func (t token) validity() string {
	if t.secret != "" {
		return fmt.Sprintf("token of Secret %s/%s on the cluster, valid until that is deleted", hub.SystemNamespace, t.secret)
	}
	return "token that EXPIRES " + t.expires.UTC().Format(time.RFC3339) + ": join again before (this cluster fills no token Secrets)"
}

// makeToken prefers a token that does not expire, because nothing renews it.
func (c *candidate) makeToken(ctx context.Context, hubID string) (token, error) {
	secrets := c.CoreV1().Secrets(hub.SystemNamespace)
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "accord-token-", Namespace: hub.SystemNamespace, Labels: managedLabels(),
			Annotations: map[string]string{corev1.ServiceAccountNameKey: identityName, hubAnnotation: hubID},
		},
		Type: corev1.SecretTypeServiceAccountToken,
	}
	s, err := secrets.Create(ctx, s, metav1.CreateOptions{})
	if err != nil {
		return token{}, fmt.Errorf("making a token secret on the cluster: %w", err)
	}
	name := s.Name
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, fillLimit, true, func(ctx context.Context) (bool, error) {
		s, err = secrets.Get(ctx, name, metav1.GetOptions{})
		return err == nil && len(s.Data[corev1.ServiceAccountTokenKey]) > 0, err
	})
	if err == nil {
		return token{value: string(s.Data[corev1.ServiceAccountTokenKey]), secret: name}, nil
	}
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return token{}, fmt.Errorf("waiting for the cluster to fill token secret %s: %w", name, err)
	}
	if err := secrets.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return token{}, fmt.Errorf("removing the token secret that stayed empty: %w", err)
	}
	return c.requestToken(ctx)
}

// requestToken requests a token that expires.
func (c *candidate) requestToken(ctx context.Context) (token, error) {
	seconds := int64(tokenLife / time.Second)
	r := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	r, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).CreateToken(ctx, identityName, r, metav1.CreateOptions{})
	if err != nil {
		return token{}, fmt.Errorf("requesting a token of the cluster: %w", err)
	}
	return token{value: r.Status.Token, expires: r.Status.ExpirationTimestamp.Time}, nil
}

// dropOldTokens deletes the token Secrets of earlier joins to this hub, and keeps those of other hubs.
func (c *candidate) dropOldTokens(ctx context.Context, hubID string, current token) error {
	secrets := c.CoreV1().Secrets(hub.SystemNamespace)
	list, err := secrets.List(ctx, metav1.ListOptions{FieldSelector: "type=" + string(corev1.SecretTypeServiceAccountToken)})
	if err != nil {
		return fmt.Errorf("looking for tokens of earlier joins: %w", err)
	}
	for _, s := range list.Items {
		if s.Annotations[hubAnnotation] != hubID || s.Name == current.secret {
			continue
		}
		if err := secrets.Delete(ctx, s.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing the token of an earlier join: %w", err)
		}
	}
	return nil
}
