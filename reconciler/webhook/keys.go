package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// keyAge is the time for which a key is used before its Secret is read again, maxKeys the number of keys that are kept.
	keyAge  = 10 * time.Second
	maxKeys = 4096
	// keyTimeout bounds a read of a Secret.
	keyTimeout = 5 * time.Second
)

// keys reads the keys of webhooks. It reads a Secret once in keyAge, however many requests strangers send.
type keys struct {
	secrets client.Reader
	known   *lru.Cache // of key, by the name of the Secret
	reading singleflight.Group
	log     *slog.Logger
}

// key is the content of a Secret at a time; empty if it could not be read, or has no token.
type key struct {
	token []byte
	at    time.Time
}

func newKeys(secrets client.Reader, log *slog.Logger) *keys {
	return &keys{secrets: secrets, known: lru.New(maxKeys), log: log}
}

// of returns the key of the webhook of a Federation. It is empty if the Secret cannot be read: the answer to a sender does not depend
// on the reason.
func (k *keys) of(ctx context.Context, fed *v1alpha1.Federation) []byte {
	at := types.NamespacedName{Namespace: fed.Namespace, Name: fed.Spec.WebhookSecretRef.Name}
	if known, ok := k.known.Get(at); ok && time.Since(known.(key).at) < keyAge {
		return known.(key).token
	}
	read, _, _ := k.reading.Do(at.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyTimeout)
		defer cancel()
		secret := &corev1.Secret{}
		err := k.secrets.Get(ctx, at, secret)
		if err == nil && len(secret.Data["token"]) == 0 {
			err = fmt.Errorf("secret %s has no key \"token\"", at.Name)
		}
		if err != nil {
			k.log.Error("cannot read the secret of a webhook", "namespace", fed.Namespace, "federation", fed.Name, "error", err)
			secret.Data = nil
		}
		token := secret.Data["token"]
		k.known.Add(at, key{token, time.Now()})
		return token, nil
	})
	return read.([]byte)
}
