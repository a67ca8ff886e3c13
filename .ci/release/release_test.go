package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	spdxjson "github.com/spdx/tools-golang/json"
)

// A release of this repository takes long, because it compiles Kubernetes for each platform. Without -source the test releases a small
// repository of the same form.
var (
	source    = flag.String("source", "", "the repository, whose commit is released twice")
	platforms = flag.String("platforms", "linux/"+runtime.GOARCH+",windows/"+runtime.GOARCH, "platforms of the releases")
)

// smallProgram prints a CustomResourceDefinition, as "accord install" does, and its version.
const smallProgram = `package main

import (
	"fmt"
	"os"

	"github.com/accord-dev/accord/internal/version"
)

func main() {
	fmt.Println("kind: CustomResourceDefinition")
	fmt.Println("---")
	fmt.Println(version.All(), os.Args[1:])
}
`

// small is a repository of the form that a release needs.
var small = map[string]string{
	"go.mod":                               "module github.com/accord-dev/accord\n\ngo 1.26\n",
	"LICENSE":                              "free\n",
	"README.md":                            "# accord\n",
	"internal/version/version.go":          "package version\n\nvar release, commit, date string\n\nfunc All() string { return release + \" \" + commit + \" \" + date }\n",
	"cmd/accord/main.go":                   smallProgram,
	"cmd/accord-apiserver/main.go":         "package main\n\nfunc main() {}\n",
	"cmd/accord-agent/main.go":             "package main\n\nfunc main() {}\n",
	"charts/accord/Chart.yaml":             "version: 0.0.0\nappVersion: devel\n",
	"charts/accord/values.yaml":            "image: ghcr.io/accord-dev/accord:devel\n",
	"charts/accord/templates/a.yaml":       "kind: Deployment\n",
	"charts/accord-agent/Chart.yaml":       "version: 0.0.0\nappVersion: devel\n",
	"charts/accord-agent/values.yaml":      "image: ghcr.io/accord-dev/accord-agent:devel\n",
	"charts/accord-agent/templates/a.yaml": "kind: Deployment\n",
	"api/admission/b.yaml":                 "kind: ValidatingAdmissionPolicy\n",
}

// repository returns a clone of the repository to release, in a directory of its own.
func repository(t *testing.T) string {
	t.Helper()
	origin := *source
	if origin == "" {
		origin = t.TempDir()
		for name, text := range small {
			file := filepath.Join(origin, name)
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, os.WriteFile(file, []byte(text), 0o644))
		}
		git(t, origin, "init", "-q", "-b", "main")
		git(t, origin, "add", ".")
		git(t, origin, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "all", "--date", "2026-11-28T03:00:00Z")
	}
	dir := filepath.Join(t.TempDir(), "clone")
	git(t, ".", "clone", "-q", origin, dir)
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-28T03:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestTwoBuilds: two releases of one commit, from directories with other names, are equal, and each part is what it should be.
func TestTwoBuilds(t *testing.T) {
	var builds []map[string][]byte
	for range 2 {
		dir, out := repository(t), filepath.Join(t.TempDir(), "dist")
		must(t, run(t.Context(), []string{"--version", "v0.1.0", "--source", dir, "--out", out, "--platforms", *platforms}))
		builds = append(builds, contents(t, out))
	}
	first := builds[0]
	if len(first) != len(builds[1]) {
		t.Fatalf("%d files, then %d", len(first), len(builds[1]))
	}
	for name, text := range first {
		if !bytes.Equal(text, builds[1][name]) {
			t.Errorf("%s differs from the second build", name)
		}
		if name != checksumsFile && !strings.Contains(string(first[checksumsFile]), fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name)) {
			t.Errorf("%s has no checksum", name)
		}
	}
	checkArchives(t, first)
	checkSBOM(t, first["accord_v0.1.0_linux_"+runtime.GOARCH+".spdx.json"])
	digest := checkImage(t, first["accord-image.tar"], "accord")
	agent := checkImage(t, first["accord-agent-image.tar"], "accord-agent")
	if want := "ghcr.io/accord-dev/accord " + digest + "\nghcr.io/accord-dev/accord-agent " + agent + "\n"; string(first["images.txt"]) != want {
		t.Errorf("images.txt: %s", first["images.txt"])
	}
	if !strings.Contains(string(first["install.yaml"]), "ghcr.io/accord-dev/accord:v0.1.0@"+digest) {
		t.Errorf("install.yaml does not have the image %s:\n%.500s", digest, first["install.yaml"])
	}
	for _, chart := range []string{"accord-0.1.0.tgz", "accord-agent-0.1.0.tgz"} {
		if len(first[chart]) == 0 {
			t.Errorf("%s is not there", chart)
		}
	}
	if !strings.Contains(string(first["crds.yaml"]), "kind: CustomResourceDefinition") {
		t.Error("crds.yaml has no definition")
	}
}

// checkArchives compares the names in the archives, and runs the program.
func checkArchives(t *testing.T, files map[string][]byte) {
	t.Helper()
	base := "accord_v0.1.0_linux_" + runtime.GOARCH
	z, err := gzip.NewReader(bytes.NewReader(files[base+".tar.gz"]))
	must(t, err)
	found := untar(t, z)
	for _, name := range []string{"accord", "accord-apiserver", "LICENSE", "README.md"} {
		if len(found[base+"/"+name]) == 0 {
			t.Errorf("%s has no %s", base, name)
		}
	}
	z, err = gzip.NewReader(bytes.NewReader(files["accord-cli_v0.1.0_linux_"+runtime.GOARCH+".tar.gz"]))
	must(t, err)
	if cli := untar(t, z); len(cli) != 3 {
		t.Errorf("the archive for pipelines has %d files", len(cli))
	}
	windows := files["accord_v0.1.0_windows_"+runtime.GOARCH+".zip"]
	if windows != nil {
		z, err := zip.NewReader(bytes.NewReader(windows), int64(len(windows)))
		must(t, err)
		if _, err := z.Open("accord_v0.1.0_windows_" + runtime.GOARCH + "/accord-apiserver.exe"); err != nil {
			t.Error(err)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	program := filepath.Join(t.TempDir(), "accord")
	must(t, os.WriteFile(program, found[base+"/accord"], 0o755))
	out, err := exec.Command(program, "version").Output()
	must(t, err)
	if !strings.Contains(string(out), "v0.1.0") || !strings.Contains(string(out), "Z") {
		t.Errorf("accord version: %s", out)
	}
}

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return files
		}
		must(t, err)
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// checkSBOM reads the document as other tools do. Each relationship is between things that exist.
func checkSBOM(t *testing.T, text []byte) {
	t.Helper()
	doc, err := spdxjson.Read(bytes.NewReader(text))
	must(t, err)
	known := map[string]bool{"DOCUMENT": true}
	for _, p := range doc.Packages {
		if known[string(p.PackageSPDXIdentifier)] {
			t.Errorf("two packages %s", p.PackageSPDXIdentifier)
		}
		known[string(p.PackageSPDXIdentifier)] = true
	}
	for _, name := range []string{"Program-accord", "Program-accord-apiserver", "Go"} {
		if !known[name] {
			t.Errorf("no package %s", name)
		}
	}
	for _, r := range doc.Relationships {
		if !known[string(r.RefA.ElementRefID)] || !known[string(r.RefB.ElementRefID)] {
			t.Errorf("a relationship of what does not exist: %v", r)
		}
	}
}

// checkImage unpacks an OCI layout, validates it, and returns the digest of its image.
func checkImage(t *testing.T, text []byte, name string) string {
	t.Helper()
	dir := t.TempDir()
	for file, content := range untar(t, bytes.NewReader(text)) {
		path := filepath.Join(dir, file)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, content, 0o644))
	}
	all, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	must(t, validate.Index(all))
	top, err := all.IndexManifest()
	must(t, err)
	if len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "ghcr.io/accord-dev/"+name+":v0.1.0" {
		t.Fatalf("the layout has other images: %v", top.Manifests)
	}
	index, err := all.ImageIndex(top.Manifests[0].Digest)
	must(t, err)
	manifest, err := index.IndexManifest()
	must(t, err)
	for _, d := range manifest.Manifests {
		image, err := index.Image(d.Digest)
		must(t, err)
		checkPlatform(t, image, d, name)
	}
	return top.Manifests[0].Digest.String()
}

// checkPlatform checks that a process of the image is nobody, and has its program and the certificate authorities.
func checkPlatform(t *testing.T, image v1.Image, d v1.Descriptor, name string) {
	t.Helper()
	config, err := image.ConfigFile()
	must(t, err)
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/usr/local/bin/"+name || config.Architecture != d.Platform.Architecture {
		t.Errorf("the configuration of %s is %+v", name, config.Config)
	}
	unpacked := mutate.Extract(image)
	defer unpacked.Close()
	files := untar(t, unpacked)
	if len(files["usr/local/bin/"+name]) == 0 {
		t.Errorf("%s has no program", name)
	}
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"]) {
		t.Errorf("%s has no certificate authorities", name)
	}
}

func TestWhatIsNotReleased(t *testing.T) {
	dir := repository(t)
	for says, args := range map[string][]string{
		"expected a tag such as v0.1.0":  {"--version", "latest"},
		"expected SYSTEM/ARCHITECTURE":   {"--version", "v0.1.0", "--platforms", "linux"},
		"--platforms needs one of linux": {"--version", "v0.1.0", "--platforms", "darwin/arm64"},
		"is not empty: remove it":        {"--version", "v0.1.0", "--out", dir},
	} {
		err := run(t.Context(), append(args, "--source", dir))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, expected %q", args, err, says)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("other"), 0o644))
	if err := run(t.Context(), []string{"--version", "v0.1.0", "--source", dir}); err == nil || !strings.Contains(err.Error(), "commit these changes first") {
		t.Errorf("a tree with changes: %v", err)
	}
}
