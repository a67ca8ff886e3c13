package crds

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const definition = `# a comment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.accord.dev}
spec: {group: accord.dev}
`

// archive returns a compressed archive.
func archive(t *testing.T, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = int64(len(definition))
		}
		require.NoError(t, w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg {
			text := append([]byte(definition), bytes.Repeat([]byte(" "), max(0, int(h.Size)-len(definition)))...)
			_, err := w.Write(text[:h.Size])
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// read returns the names that a file with this content has.
func read(t *testing.T, text []byte, checksum string) ([]string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "crds")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	all, err := Source{Location: "file:" + file, SHA256: checksum, Pull: IfNotPresent}.Read(t.Context())
	var names []string
	for _, crd := range all {
		names = append(names, crd.Name)
	}
	return names, err
}

func TestReadFiles(t *testing.T) {
	embedded, err := Source{Location: Embedded, Pull: IfNotPresent}.Read(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, embedded)
	names, err := read(t, []byte(definition), "")
	require.NoError(t, err)
	require.Equal(t, []string{"clusters.accord.dev"}, names)
	packed := archive(t, &tar.Header{Typeflag: tar.TypeDir, Name: "crds/"}, &tar.Header{Typeflag: tar.TypeReg, Name: "crds/a.yaml"},
		&tar.Header{Typeflag: tar.TypeReg, Name: "crds/README.md"}, &tar.Header{Typeflag: tar.TypeReg, Name: "./b.yml"})
	names, err = read(t, packed, sum(packed))
	require.NoError(t, err)
	require.Equal(t, []string{"clusters.accord.dev", "clusters.accord.dev"}, names)
}

// TestHostileFiles: an archive cannot write elsewhere, fill the memory, or bring other objects; a file with another checksum is not read.
func TestHostileFiles(t *testing.T) {
	reg := func(name string) *tar.Header { return &tar.Header{Typeflag: tar.TypeReg, Name: name} }
	bomb := func(size int64) *tar.Header { return &tar.Header{Typeflag: tar.TypeReg, Name: "a.txt", Size: size} }
	for says, text := range map[string][]byte{
		`the name "../a.yaml", which leads out`:      archive(t, reg("../a.yaml")),
		`the name "a/../../b.yaml", which leads out`: archive(t, reg("a/../../b.yaml")),
		`the name "/etc/a.yaml", which leads out`:    archive(t, reg("/etc/a.yaml")),
		`the name "..\\a.yaml", which leads out`:     archive(t, reg(`..\a.yaml`)),
		`refused "link.yaml": it is neither`:         archive(t, &tar.Header{Typeflag: tar.TypeSymlink, Name: "link.yaml", Linkname: "/etc/passwd"}),
		`refused "hard.yaml": it is neither`:         archive(t, reg("a.yaml"), &tar.Header{Typeflag: tar.TypeLink, Name: "hard.yaml", Linkname: "a.yaml"}),
		`refused "device.yaml": it is neither`:       archive(t, &tar.Header{Typeflag: tar.TypeChar, Name: "device.yaml"}),
		"it has more than 32 MiB":                    archive(t, bomb(limit/2+1), bomb(limit/2)),
		`refused ClusterRoleBinding "root"`:          []byte(definition + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: root}\n"),
		`refused CustomResourceDefinition "pods.x"`:  []byte(strings.NewReplacer("clusters.accord.dev", "pods.x", "group: accord.dev", "group: x").Replace(definition)),
		"it has no CustomResourceDefinition":         []byte("# nothing\n"),
	} {
		_, err := read(t, text, "")
		require.ErrorContains(t, err, says)
	}
	_, err := read(t, bytes.Repeat([]byte("#"), limit+1), "")
	require.ErrorContains(t, err, "it has more than 32 MiB")
	_, err = read(t, []byte(definition), sum([]byte("another")))
	require.ErrorContains(t, err, "do not use the file")
}

func TestSourcesThatAreRefused(t *testing.T) {
	zero := strings.Repeat("0", 64)
	for says, s := range map[string]Source{
		"crds.yaml requires --crds-sha256": {Location: "https://example.com/crds.yaml", Pull: Always},
		"crds:v1 requires --crds-sha256":   {Location: "oci://example.com/crds:v1", Pull: Always},
		"a tag or a digest is required":    {Location: "oci://example.com/crds", SHA256: zero, CacheDir: t.TempDir(), Pull: Always},
		"use embedded, file:PATH,":         {Location: "http://example.com/crds.yaml", SHA256: zero, Pull: Always},
		"expected 64 hexadecimal":          {Location: "https://example.com/crds.yaml", SHA256: "../../etc/passwd", Pull: Always},
		"use IfNotPresent or Always":       {Location: Embedded, Pull: "Never"},
		"--crds-sha256 is for files:":      {Location: Embedded, SHA256: zero, Pull: Always},
	} {
		_, err := s.Read(t.Context())
		require.ErrorContains(t, err, says)
	}
}

// web is a server of the file, which counts the requests.
func web(t *testing.T, text *string) (*httptest.Server, *int) {
	t.Helper()
	count := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/crds.yaml", func(w http.ResponseWriter, _ *http.Request) { count++; fmt.Fprint(w, *text) })
	mux.HandleFunc("/plain", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+"/crds.yaml", http.StatusFound)
	})
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	return s, &count
}

func TestRemoteFiles(t *testing.T) {
	text := definition
	server, count := web(t, &text)
	s := Source{Location: server.URL + "/crds.yaml", SHA256: sum([]byte(text)), CacheDir: filepath.Join(t.TempDir(), "cache"), Pull: IfNotPresent, Client: server.Client()}
	for range 2 {
		all, err := s.Read(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
	}
	require.Equal(t, 1, *count, "the cache has the file")
	cached := filepath.Join(s.CacheDir, s.SHA256)
	require.NoError(t, os.WriteFile(cached, []byte("damaged"), 0o600))
	_, err := s.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, *count, "a damaged file of the cache is fetched again")
	s.Pull = Always
	_, err = s.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, *count)

	text += "# changed on the server\n"
	_, err = s.Read(t.Context())
	require.ErrorContains(t, err, "do not use the file")
	s.Pull = IfNotPresent
	_, err = s.Read(t.Context())
	require.NoError(t, err, "the cache keeps the file that was right")

	s.Pull, s.Location = Always, server.URL+"/plain"
	_, err = s.Read(t.Context())
	require.ErrorContains(t, err, "it is not https")
	s.Location = server.URL + "/none"
	_, err = s.Read(t.Context())
	require.ErrorContains(t, err, "404")
}

// TestProxy: the client of accord uses the proxy of the environment.
func TestProxy(t *testing.T) {
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.Host
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	for _, location := range []string{"https://releases.invalid/crds.yaml", "oci://releases.invalid/crds:v1"} {
		asked = ""
		s := Source{Location: location, SHA256: sum(nil), CacheDir: t.TempDir(), Pull: Always}
		_, err := s.Read(t.Context())
		require.ErrorContains(t, err, "Forbidden")
		require.Equal(t, "CONNECT releases.invalid:443", asked)
	}
}
