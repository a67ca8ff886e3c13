package member

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// tokenNotRenewed is the reason of the event about a token that accord could not renew.
const tokenNotRenewed = "TokenNotRenewed"

// renewToken renews the token of a cluster that answers, when half of its life is over: it requests a token with the old one,
// writes it to the Secret, and uses it from then on. A token that the Secret does not have is not used, so it is lost
// if the write fails. The next attempt is made a twentieth of its life later.
func (c *Controller) renewToken(ctx context.Context, member *v1alpha1.Cluster, secret *corev1.Secret, m *clusters.Member) {
	t, renewable := clusters.ReadToken(string(secret.Data[clusters.TokenKey]))
	now := c.Now()
	if !renewable || now.Before(t.RenewAt()) {
		return
	}
	c.mu.Lock()
	last := c.renewals[member.Name]
	due := now.Sub(last) >= t.RetryAfter()
	if due {
		c.renewals[member.Name] = now
	}
	c.mu.Unlock()
	if !due {
		return
	}
	token, err := m.RenewToken(ctx, t)
	if err == nil {
		before := secret.DeepCopy()
		secret.Data[clusters.TokenKey] = []byte(token)
		err = c.Hub.Patch(ctx, secret, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	if err != nil {
		c.Emit(changes.Event{About: member, Type: changes.Warning, Reason: tokenNotRenewed, Message: fmt.Sprintf(
			"the token of the cluster ends at %s, and accord could not renew it: %v", t.Expires.UTC().Format(time.RFC3339), err)})
		return
	}
	m.SetToken(strings.TrimSpace(token))
	c.Log.Info("renewed the token", "cluster", member.Name)
}
