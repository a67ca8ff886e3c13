// Package crds reads the CustomResourceDefinitions of accord from elsewhere than the program: a file, a web server, or an OCI registry.
// Nothing of them is trusted before the checksum is right, and only CustomResourceDefinitions of accord come out.
package crds

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Embedded is the location of the definitions in the program.
const Embedded = "embedded"

// PullPolicy says when a remote file is fetched.
type PullPolicy string

// The pull policies.
const (
	IfNotPresent PullPolicy = "IfNotPresent" // unless the cache has it
	Always       PullPolicy = "Always"
)

// limit bounds a file, and what an archive has in all.
const limit = 32 << 20

// Source names a place of definitions.
type Source struct {
	// Location is Embedded, file:PATH, https://HOST/PATH or oci://HOST/REPOSITORY:TAG. The file is YAML, or a .tar.gz archive of YAML files;
	// in a registry it is a layer of the artifact.
	Location string
	SHA256   string // of the file; required for a remote one
	CacheDir string // of remote files; "" = below the user's cache directory
	Pull     PullPolicy
	// Client fetches; nil = one with the proxy of the environment.
	Client *http.Client
}

var checksumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check returns an error for a source that cannot be read.
func (s Source) check() error {
	if s.SHA256 != "" && !checksumForm.MatchString(s.SHA256) {
		return fmt.Errorf("--crds-sha256 %q: expected 64 hexadecimal digits", s.SHA256)
	}
	if s.Pull != IfNotPresent && s.Pull != Always {
		return fmt.Errorf("--crds-pull %q: use %s or %s", s.Pull, IfNotPresent, Always)
	}
	switch {
	case s.Location == Embedded && s.SHA256 != "":
		return errors.New("--crds-sha256 is for files: the program has the embedded definitions")
	case s.Location == Embedded, strings.HasPrefix(s.Location, "file:"):
		return nil
	case !strings.HasPrefix(s.Location, "https://") && !strings.HasPrefix(s.Location, registryScheme):
		return fmt.Errorf("--crds %q: use %s, file:PATH, https://HOST/PATH or oci://HOST/REPOSITORY:TAG", s.Location, Embedded)
	case s.SHA256 == "":
		return fmt.Errorf("--crds %s requires --crds-sha256", s.Location)
	default:
		return nil
	}
}

// Read returns the definitions.
func (s Source) Read(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Location == Embedded {
		return v1alpha1.CRDs()
	}
	text, err := s.file(ctx)
	if err != nil {
		return nil, fmt.Errorf("--crds %s: %w", s.Location, err)
	}
	all, err := unpack(text)
	if err != nil {
		return nil, fmt.Errorf("--crds %s: %w", s.Location, err)
	}
	return all, nil
}

// file returns the content of the file after its checksum was right.
func (s Source) file(ctx context.Context) ([]byte, error) {
	if path, local := strings.CutPrefix(s.Location, "file:"); local {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return s.verified(f)
	}
	dir, err := s.cacheDir()
	if err != nil {
		return nil, err
	}
	cached := filepath.Join(dir, s.SHA256)
	if s.Pull == IfNotPresent {
		if f, err := os.Open(cached); err == nil {
			defer f.Close()
			if text, err := s.verified(f); err == nil {
				return text, nil // a damaged file is fetched again
			}
		}
	}
	text, err := s.fetch(ctx)
	if err != nil {
		return nil, err
	}
	return text, keep(dir, cached, text)
}

func (s Source) cacheDir() (string, error) {
	if s.CacheDir != "" {
		return s.CacheDir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory: %w; --crds-cache-dir names one", err)
	}
	return filepath.Join(dir, "accord", "crds"), nil
}

// keep writes a file into the cache, whole or not at all.
func keep(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

// fetch returns the remote file.
func (s Source) fetch(ctx context.Context) ([]byte, error) {
	if artifact, isArtifact := strings.CutPrefix(s.Location, registryScheme); isArtifact {
		return s.layer(ctx, artifact)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Location, nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.client().Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %s", answer.Status)
	}
	return s.verified(answer.Body)
}

// client returns the client that fetches. It follows redirects to https only.
func (s Source) client() *http.Client {
	client := *cmp.Or(s.Client, &http.Client{}) // the default transport has the proxy of the environment
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" {
			return fmt.Errorf("refused the redirect to %s: it is not https", r.URL.Redacted())
		}
		if len(via) > 5 {
			return errors.New("more than 5 redirects")
		}
		return nil
	}
	return &client
}

// verified reads a file of at most limit bytes, and compares its checksum.
func (s Source) verified(r io.Reader) ([]byte, error) {
	text, err := readLimited(r, limit)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); s.SHA256 != "" && got != s.SHA256 {
		return nil, fmt.Errorf("the SHA-256 is %s, and --crds-sha256 is %s: do not use the file", got, s.SHA256)
	}
	return text, nil
}

func readLimited(r io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, fmt.Errorf("it has more than %d MiB", limit>>20)
	}
	return b.Bytes(), nil
}
