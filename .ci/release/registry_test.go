package main

import (
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TestDefinitionsOfARegistry: "accord install --crds oci://..." prints the definitions that a registry has, from the cache when the registry
// is gone, and no other layer.
func TestDefinitionsOfARegistry(t *testing.T) {
	server := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	certificate := filepath.Join(t.TempDir(), "registry.pem")
	must(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	t.Setenv("SSL_CERT_FILE", certificate)

	host, file := strings.TrimPrefix(server.URL, "https://"), definitions(accord(t, "install"))
	artifact, err := mutate.AppendLayers(empty.Image, static.NewLayer([]byte("# about the definitions"), types.MediaType("text/markdown")), static.NewLayer(file, types.MediaType("application/yaml")))
	must(t, err)
	tag, err := name.ParseReference(host + "/accord/crds:v0.1.0")
	must(t, err)
	must(t, remote.Write(tag, artifact, remote.WithTransport(server.Client().Transport)))

	location, sum, cache := "oci://"+tag.String(), fmt.Sprintf("%x", sha256.Sum256(file)), t.TempDir()
	if got := definitions(accord(t, "install", "--crds", location, "--crds-sha256", sum, "--crds-cache-dir", cache)); string(got) != string(file) {
		t.Errorf("the definitions of the registry are others: %.300s", got)
	}
	fails(t, "no layer has the SHA-256 "+strings.Repeat("0", 64), "install", "--crds", location, "--crds-sha256", strings.Repeat("0", 64), "--crds-cache-dir", cache)
	fails(t, "not found", "install", "--crds", "oci://"+host+"/accord/crds:v9", "--crds-sha256", sum, "--crds-cache-dir", t.TempDir())

	server.Close()
	accord(t, "install", "--crds", location, "--crds-sha256", sum, "--crds-cache-dir", cache)
	fails(t, "connection refused", "install", "--crds", location, "--crds-sha256", sum, "--crds-cache-dir", cache, "--crds-pull", "Always")
}
