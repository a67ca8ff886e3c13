package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// fingerprintSecret is the Secret on the hub, in the namespace of accord, that holds the key of fingerprints. "accord
	// install" brings it empty, so that accord needs no right to make Secrets; on a hub of its own accord makes it. The
	// credentials of a cluster that is joined cannot have the name.
	fingerprintSecret = "accord.fingerprints"
	fingerprintEntry  = "key"
	// fingerprintTries is how often the key is looked for: another replica may make it at the same moment.
	fingerprintTries = 5
)

// keyring is where the key of fingerprints is kept.
type keyring struct {
	reader client.Reader
	writer client.Writer
	at     types.NamespacedName
}

// fingerprints have the key that is kept, which is made where there is none. Where that is not allowed they have one that
// ends with this process: detail is lost by that, which is told, and nothing stops.
func (k keyring) fingerprints(ctx context.Context, log *slog.Logger) (*fingerprints, error) {
	key, err := k.key(ctx)
	if apierrors.IsForbidden(err) {
		log.Warn("the key of fingerprints cannot be kept: what stands on the hub for digests of Secrets changes with every start, "+
			"and digests of what clusters get are without a key; apply what accord install prints", "secret", k.at, "error", err)
		return newFingerprints(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the key of fingerprints in Secret %s on the hub: %w", k.at, err)
	}
	return &fingerprints{key: key, lasting: true}, nil
}

// key reads the key. One that is absent or shorter than it should be is made, and read again: whoever was first has made it.
func (k keyring) key(ctx context.Context) ([]byte, error) {
	for range fingerprintTries {
		secret := &corev1.Secret{}
		err := k.reader.Get(ctx, k.at, secret)
		switch {
		case apierrors.IsNotFound(err):
			err = k.create(ctx)
		case err == nil && len(secret.Data[fingerprintEntry]) >= fingerprintKeySize:
			return secret.Data[fingerprintEntry], nil
		case err == nil:
			err = k.fill(ctx, secret)
		}
		if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return nil, err
		}
	}
	return nil, errors.New("others change it again and again")
}

// fill makes a key in a Secret that has none, unless somebody else did since it was read.
func (k keyring) fill(ctx context.Context, secret *corev1.Secret) error {
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	secret.Data[fingerprintEntry] = newFingerprintKey()
	return k.writer.Update(ctx, secret, client.FieldOwner(v1alpha1.FieldManager))
}

// create makes the Secret with a key in it, and on a hub that is accord's own also its namespace.
func (k keyring) create(ctx context.Context) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.at.Namespace, Name: k.at.Name},
		Data:       map[string][]byte{fingerprintEntry: newFingerprintKey()},
	}
	err := k.writer.Create(ctx, secret, client.FieldOwner(v1alpha1.FieldManager))
	if !apierrors.IsNotFound(err) {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: k.at.Namespace}}
	return k.writer.Create(ctx, namespace, client.FieldOwner(v1alpha1.FieldManager))
}
