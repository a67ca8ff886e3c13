package join

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

const (
	// defaultTokenLife is the life of the tokens that join requests and accord renews. The API server may grant another.
	defaultTokenLife = 24 * time.Hour
	// hubLabel, on the ConfigMap and on the Secret of a hub on a member, has the identifier of the hub as a digest.
	hubLabel = "accord.dev/hub"
)

// token authenticates the hub as the ServiceAccount accord.
type token struct {
	value string
	// secret is the name of the Secret on the member to which the token is bound.
	secret  string
	expires time.Time
}

// validity returns "token until 2026-11-24T03:00:00Z, which accord renews".
func (t token) validity() string {
	return "token until " + t.expires.UTC().Format(time.RFC3339) + ", which accord renews"
}

// hubDigest returns the value of hubLabel.
func hubDigest(hubID string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(hubID)))[:20]
}

// hubName is the name of the ConfigMap of a hub on its members. Who deletes it ends the tokens of the hub: the ConfigMap owns the
// Secret to which they are bound. The rights of accord suffice for this.
func hubName(hubID string) string { return "accord-hub-" + hubDigest(hubID) }

func hubLabels(hubID string) map[string]string {
	labels := managedLabels()
	labels[hubLabel] = hubDigest(hubID)
	return labels
}

// requestToken requests a token that is bound to a new Secret without data.
func (c *candidate) requestToken(ctx context.Context, hubID string, life time.Duration) (token, error) {
	marks := c.CoreV1().ConfigMaps(hub.SystemNamespace)
	mark, err := marks.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: hubName(hubID), Labels: hubLabels(hubID)}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		mark, err = marks.Get(ctx, hubName(hubID), metav1.GetOptions{})
	}
	if err != nil {
		return token{}, fmt.Errorf("making ConfigMap %s on the cluster: %w", hubName(hubID), err)
	}
	s, err := c.CoreV1().Secrets(hub.SystemNamespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "accord-token-", Labels: hubLabels(hubID),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: mark.Name, UID: mark.UID}},
	}}, metav1.CreateOptions{})
	if err != nil {
		return token{}, fmt.Errorf("making the Secret that the token is bound to: %w", err)
	}
	seconds := int64(life / time.Second)
	r := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Secret", Name: s.Name, UID: s.UID},
	}}
	r, err = c.CoreV1().ServiceAccounts(hub.SystemNamespace).CreateToken(ctx, identityName, r, metav1.CreateOptions{})
	if err != nil {
		return token{}, fmt.Errorf("requesting a token of the cluster: %w", err)
	}
	return token{value: r.Status.Token, secret: s.Name, expires: r.Status.ExpirationTimestamp.Time}, nil
}

// dropOldTokens ends the tokens of earlier joins to this hub, and keeps those of other hubs.
func (c *candidate) dropOldTokens(ctx context.Context, hubID string, current token) error {
	secrets := c.CoreV1().Secrets(hub.SystemNamespace)
	list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: hubLabel + "=" + hubDigest(hubID)})
	if err != nil {
		return fmt.Errorf("looking for tokens of earlier joins: %w", err)
	}
	for _, s := range list.Items {
		if s.Name == current.secret {
			continue
		}
		if err := secrets.Delete(ctx, s.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("ending the token of an earlier join: %w", err)
		}
	}
	return nil
}
