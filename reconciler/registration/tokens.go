package registration

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	api "k8s.io/cluster-bootstrap/token/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
)

// tokenInterval is the time between two looks at the tokens.
const tokenInterval = 30 * time.Second

// RunTokens deletes tokens that expired or are used up, and keeps cluster-info signed for the others, until the context ends. A
// kube-controller-manager does the same, with the same bytes.
func (c *Controller) RunTokens(ctx context.Context) error {
	tick := time.NewTicker(tokenInterval)
	defer tick.Stop()
	for {
		if err := c.sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			c.Log.Warn("cannot maintain the bootstrap tokens", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// sweep looks at the tokens that cluster-info is signed for. accord reads no other Secret, and leaves the tokens of others alone.
func (c *Controller) sweep(ctx context.Context, now time.Time) error {
	info := &corev1.ConfigMap{}
	err := c.Uncached.Get(ctx, client.ObjectKey{Namespace: metav1.NamespacePublic, Name: api.ConfigMapClusterInfo}, info)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil // no token was created yet
	}
	if err != nil {
		return fmt.Errorf("reading cluster-info: %w", err)
	}
	changed := false
	for _, id := range bootstrap.SignedFor(info) {
		secret := &corev1.Secret{}
		err := c.Uncached.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: registration.SecretName(id)}, secret)
		switch {
		case apierrors.IsForbidden(err):
			continue
		case apierrors.IsNotFound(err):
			changed = bootstrap.Unsign(info, id) || changed
			continue
		case err != nil:
			return fmt.Errorf("reading the token %s: %w", id, err)
		}
		t, err := registration.ReadToken(secret)
		if err != nil {
			continue // it is not accord's
		}
		if t.Expired(now) {
			if err := c.Hub.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("deleting the token %s: %w", id, err)
			}
			changed = bootstrap.Unsign(info, id) || changed
			continue
		}
		signed, err := bootstrap.Sign(info, t)
		if err != nil {
			return err
		}
		changed = changed || signed
	}
	if !changed {
		return nil
	}
	if err := c.Hub.Update(ctx, info); err != nil {
		return fmt.Errorf("signing cluster-info: %w", err)
	}
	return nil
}
