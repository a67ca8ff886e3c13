package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// encryption is the file by which the API server encrypts Secrets in the store (secretbox: XSalsa20 and Poly1305). New values
// get the first key. More providers, older keys or none, are there only until all Secrets are rewritten.
type encryption struct {
	path   string
	config apiserverv1.EncryptionConfiguration
}

// ensureEncryption reads the file in dir, or makes it with a new key. A store that has been there without the file holds plain
// values. With rotate a new key comes first.
func ensureEncryption(dir string, rotate bool) (*encryption, error) {
	e := &encryption{path: filepath.Join(dir, "encryption.yaml")}
	text, err := os.ReadFile(e.path)
	switch {
	case err == nil:
		if err := yaml.UnmarshalStrict(text, &e.config); err != nil {
			return nil, fmt.Errorf("reading the encryption keys in %s: %w", e.path, err)
		}
		if len(e.config.Resources) != 1 || len(e.config.Resources[0].Providers) == 0 || e.key() == "" {
			return nil, fmt.Errorf("%s: the first provider must have one secretbox key", e.path)
		}
		if !rotate {
			return e, nil
		}
	case errors.Is(err, fs.ErrNotExist):
		e.config = apiserverv1.EncryptionConfiguration{
			TypeMeta:  metav1.TypeMeta{APIVersion: apiserverv1.SchemeGroupVersion.String(), Kind: "EncryptionConfiguration"},
			Resources: []apiserverv1.ResourceConfiguration{{Resources: []string{"secrets"}}},
		}
		if _, err := os.Stat(filepath.Join(dir, "etcd")); err == nil {
			e.config.Resources[0].Providers = []apiserverv1.ProviderConfiguration{{Identity: &apiserverv1.IdentityConfiguration{}}}
		}
	default:
		return nil, fmt.Errorf("reading the encryption keys: %w", err)
	}
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	first := apiserverv1.ProviderConfiguration{Secretbox: &apiserverv1.SecretboxConfiguration{Keys: []apiserverv1.Key{{
		Name: time.Now().UTC().Format("2006-01-02-150405.000000"), Secret: base64.StdEncoding.EncodeToString(key[:]),
	}}}}
	e.config.Resources[0].Providers = append([]apiserverv1.ProviderConfiguration{first}, e.config.Resources[0].Providers...)
	return e, e.write()
}

// key returns the name of the key of new values.
func (e *encryption) key() string {
	if box := e.config.Resources[0].Providers[0].Secretbox; box != nil && len(box.Keys) == 1 {
		return box.Keys[0].Name
	}
	return ""
}

func (e *encryption) write() error {
	text, err := yaml.Marshal(e.config)
	if err != nil {
		return fmt.Errorf("encoding the encryption keys: %w", err)
	}
	if err := writeFile(e.path+".new", text); err != nil {
		return fmt.Errorf("writing the encryption keys: %w", err)
	}
	if err := os.Rename(e.path+".new", e.path); err != nil {
		return fmt.Errorf("putting the encryption keys in place: %w", err)
	}
	return nil
}

// secretsPage is the number of Secrets that rewrite reads at once.
const secretsPage = 100

// rewrite encrypts all Secrets with the first key, and then drops the other providers from the file. It does nothing if there is
// no other provider. After a failure the next start repeats it.
func (e *encryption) rewrite(ctx context.Context, cfg *rest.Config) error {
	providers := &e.config.Resources[0].Providers
	if len(*providers) == 1 {
		return nil
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("connecting to encrypt the Secrets: %w", err)
	}
	page := metav1.ListOptions{Limit: secretsPage}
	for {
		list, err := client.CoreV1().Secrets("").List(ctx, page)
		if err != nil {
			return fmt.Errorf("reading the Secrets to encrypt them with key %s of %s: %w", e.key(), e.path, err)
		}
		for i := range list.Items {
			if err := rewriteSecret(ctx, client, list.Items[i].Namespace, list.Items[i].Name); err != nil {
				return fmt.Errorf("encrypting the Secrets with key %s of %s: %w", e.key(), e.path, err)
			}
		}
		if page.Continue = list.Continue; page.Continue == "" {
			break
		}
	}
	*providers = (*providers)[:1]
	return e.write()
}

// rewriteSecret updates a Secret without a change. The API server writes it only if the stored value has not the first key.
func rewriteSecret(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		secret, err := client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			_, err = client.CoreV1().Secrets(namespace).Update(ctx, secret, metav1.UpdateOptions{})
		}
		return err
	})
	if apierrors.IsNotFound(err) { // deleted meanwhile
		return nil
	}
	return err
}
