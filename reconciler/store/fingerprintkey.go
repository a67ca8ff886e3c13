package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

const (
	// FingerprintSecret is the name of the Secret on the hub, in accord's namespace, that holds the key of fingerprints.
	// "accord install" creates it empty, so that accord needs no permission to create Secrets; on its own hub accord
	// creates it. The credentials of a cluster that joins cannot have this name.
	FingerprintSecret = "accord.fingerprints"
	// FingerprintField is the field of the Secret that holds the key.
	FingerprintField = "key"
	// fingerprintTries bounds the attempts to read or create the key: another replica may do so at the same time.
	fingerprintTries = 5
)

// ProcessFingerprints returns fingerprints with a random key that ends with the process.
func ProcessFingerprints() *fingerprint.Key { return fingerprint.New(randomKey(), false) }

func randomKey() []byte {
	key := make([]byte, fingerprint.KeySize)
	_, _ = rand.Read(key) // never fails, as documented
	return key
}

// Fingerprints returns fingerprints with the key that Secret at holds, and creates the key if there is none. Without
// the permission to do so it returns ProcessFingerprints: less is comparable after a restart, and it logs a warning.
func Fingerprints(ctx context.Context, reader client.Reader, writer client.Writer, at types.NamespacedName, log *slog.Logger) (*fingerprint.Key, error) {
	key, err := fingerprintKey{reader, writer, at}.get(ctx)
	if apierrors.IsForbidden(err) {
		log.Warn("cannot read or create the key of fingerprints: the fingerprints of Secrets change at every start, "+
			"and the digests of clusters are written without a key; apply the output of accord install", "secret", at, "error", err)
		return ProcessFingerprints(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading or creating the key of fingerprints in Secret %s on the hub: %w", at, err)
	}
	return fingerprint.New(key, true), nil
}

// fingerprintKey reads and creates the key in a Secret.
type fingerprintKey struct {
	reader client.Reader
	writer client.Writer
	at     types.NamespacedName
}

// get reads the key. It creates a key that is absent or too short and reads again: the first replica to write it wins.
func (k fingerprintKey) get(ctx context.Context) ([]byte, error) {
	for range fingerprintTries {
		secret := &corev1.Secret{}
		err := k.reader.Get(ctx, k.at, secret)
		switch {
		case apierrors.IsNotFound(err):
			err = k.create(ctx)
		case err == nil && len(secret.Data[FingerprintField]) >= fingerprint.KeySize:
			return secret.Data[FingerprintField], nil
		case err == nil:
			err = k.fill(ctx, secret)
		}
		if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			return nil, err
		}
	}
	return nil, errors.New("others change it again and again")
}

// fill writes a key into the Secret. It fails if the Secret changed since it was read.
func (k fingerprintKey) fill(ctx context.Context, secret *corev1.Secret) error {
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	secret.Data[FingerprintField] = randomKey()
	return k.writer.Update(ctx, secret, client.FieldOwner(v1alpha1.FieldManager))
}

// create creates the Secret with a key. If its namespace is missing, create creates only the namespace.
func (k fingerprintKey) create(ctx context.Context) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.at.Namespace, Name: k.at.Name},
		Data:       map[string][]byte{FingerprintField: randomKey()},
	}
	err := k.writer.Create(ctx, secret, client.FieldOwner(v1alpha1.FieldManager))
	if !apierrors.IsNotFound(err) {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: k.at.Namespace}}
	return k.writer.Create(ctx, namespace, client.FieldOwner(v1alpha1.FieldManager))
}
