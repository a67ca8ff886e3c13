package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/local"
)

const (
	// upgradeFixture has everything that an older accord left: the data directory of "accord up", those of two members, and the
	// repositories. "make fixtures COMMIT=..." makes it.
	upgradeFixture = "testdata/upgrade.tar.zst"
	// installationDir is the place of the older installation. It is the same at each run, because the Federations on the hub name the
	// repositories below it.
	installationDir = "/tmp/accord-upgrade"
	// judgementsFile has the Releases of the older accord.
	judgementsFile = installationDir + "/releases.json"
	// hubPort and the ports after it, one for each member, are in the stored kubeconfigs. No test takes such a port by chance: their
	// control planes listen at 20000 and up.
	hubPort = 9870
	// tokenLifetime keeps the credentials of the members valid for as long as the fixture may live.
	tokenLifetime = "876000h"
)

// members of the installation.
var upgradeMembers = []string{"first", "second"}

// repositories of the older installation, by the Federation that reads each: what the first commit has, and the changes of the second.
var repositories = map[string][2]map[string]string{
	// Delivered at once, with an override.
	"shop": {{
		"objects.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: shop, namespace: default}
data: {version: "1", cluster: none}
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: shop, namespace: default}
`,
		"policies.yaml": `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: shop, namespace: default}
spec:
  resourceSelectors:
  - {apiVersion: v1, kind: ConfigMap, name: shop}
  - {apiVersion: v1, kind: Service, name: shop}
  - {apiVersion: v1, kind: ServiceAccount, name: shop}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: shop, namespace: default}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: shop}]
  overrideRules:
  - targetCluster: {clusterNames: [second]}
    overriders: {plaintext: [{path: /data/cluster, operator: replace, value: second}]}
`,
	}},
	// The first commit was approved by a person, and the second one waits for an approval.
	"careful": {{
		"objects.yaml":  configMapOf("careful", "1"),
		"policies.yaml": policyOf("careful"),
	}, {
		"objects.yaml": configMapOf("careful", "2"),
	}},
	// The second commit is in its first stage, which waits for an approval.
	"staged": {{
		"objects.yaml": configMapOf("staged", "1"),
		"policies.yaml": policyOf("staged") + `---
apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: staged, namespace: default}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: staged}]
  stages:
  - {name: canary, clusterAffinity: {clusterNames: [first]}, gate: {approval: Manual}}
  - {name: world, clusterAffinity: {clusterNames: [second]}}
`,
	}, {
		"objects.yaml": configMapOf("staged", "2"),
	}},
}

func configMapOf(name, version string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: default}\ndata: {version: \"" + version + "\"}\n"
}

func policyOf(name string) string {
	return "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: " + name +
		", namespace: default}\nspec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: " + name + "}]}\n"
}

// federationOf returns the Federation of a repository.
func federationOf(name string) string {
	approval := ""
	if name == "careful" {
		approval = "  approval: {}\n"
	}
	return "apiVersion: accord.dev/v1alpha1\nkind: Federation\nmetadata: {name: " + name + ", namespace: default}\nspec:\n" + approval +
		"  prune: true\n  interval: 1s\n  sources: [{name: main, url: " + filepath.Join(installationDir, name) + "}]\n"
}

// makeFixture has the programs of a commit install accord, deliver, and stop, and stores what they left.
func makeFixture(t *testing.T, commit string) {
	tree, programs := filepath.Join(t.TempDir(), "tree"), t.TempDir()
	runGit(t, "worktree", "add", "--detach", tree, commit)
	defer runGit(t, "worktree", "remove", "--force", tree)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", programs+string(filepath.Separator), "./cmd/...")
	build.Dir, build.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	i := &installation{t: t, accord: filepath.Join(programs, "accord")}
	i.startMembers()
	i.up("--port", strconv.Itoa(hubPort))
	for _, name := range upgradeMembers {
		i.exits(0, "join", name, "--member-kubeconfig", i.kubeconfig(name), "--token-lifetime", tokenLifetime)
	}
	for name, commits := range repositories {
		sha := i.push(name, commits[0])
		require.NoError(t, putFile(t.Context(), i.hubKubeconfig(), federationOf(name)))
		i.approve(name, sha)
		i.exits(0, "wait", name, "--revision", sha, "--timeout", "2m")
		if commits[1] != nil {
			i.exits(4, "wait", name, "--revision", i.push(name, commits[1]), "--timeout", "2m")
		}
	}
	judgements, err := json.MarshalIndent(i.judgements(), "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(judgementsFile, judgements, 0o644))
	i.down()
	i.stopMembers()
	pack(t, installationDir, upgradeFixture)
}

// approve approves the plan or the stage that the commit waits for, if it does.
func (i *installation) approve(federation, sha string) {
	switch federation {
	case "careful":
		i.exits(4, "wait", federation, "--revision", sha, "--timeout", "2m")
		i.exits(0, "approve", "--plan", i.release(federation, sha).Spec.PlanDigest, "-f", federation)
	case "staged":
		i.exits(4, "wait", federation, "--revision", sha, "--timeout", "2m")
		i.exits(0, "approve", "-f", federation, "--on-hub", "--yes")
	}
}

// push commits files to the repository of a Federation.
func (i *installation) push(federation string, files map[string]string) string {
	i.t.Helper()
	dir := filepath.Join(installationDir, federation)
	require.NoError(i.t, os.MkdirAll(dir, 0o755))
	for name, text := range files {
		require.NoError(i.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	sha, err := commitAll(dir, "version of "+federation)
	require.NoError(i.t, err)
	return sha
}

// startMembers starts the control planes of the members on the data that is there.
func (i *installation) startMembers() {
	for n, name := range upgradeMembers {
		plane, err := local.Start(i.t.Context(), local.Options{Dir: filepath.Join(installationDir, "members", name), Name: name, Port: hubPort + 1 + n})
		require.NoError(i.t, err)
		i.planes = append(i.planes, plane)
	}
	i.t.Cleanup(i.stopMembers)
}

func (i *installation) stopMembers() {
	for _, plane := range i.planes {
		require.NoError(i.t, plane.Stop())
	}
	i.planes = nil
}

func runGit(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

// pack stores a directory. Sockets, locks and the segments that etcd allocates in advance are left out.
func pack(t *testing.T, dir, file string) {
	out, err := os.Create(file)
	require.NoError(t, err)
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(64<<20))
	require.NoError(t, err)
	w := tar.NewWriter(z)
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		kind, name := entry.Type(), entry.Name()
		if kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink || name == "lock" || strings.HasSuffix(path, ".tmp") {
			return nil
		}
		return packFile(w, dir, path, entry)
	}))
	require.NoError(t, errors.Join(w.Close(), z.Close(), out.Close()))
}

func packFile(w *tar.Writer, dir, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: name, Mode: int64(info.Mode().Perm())}
	var content []byte
	switch entry.Type() {
	case fs.ModeDir:
		h.Typeflag = tar.TypeDir
	case fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
		h.Linkname, err = os.Readlink(path)
	default:
		h.Typeflag = tar.TypeReg
		content, err = os.ReadFile(path)
		if filepath.Ext(path) == ".wal" {
			content = withoutReserve(content)
		}
		h.Size = int64(len(content))
	}
	if err != nil {
		return err
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// withoutReserve returns a segment of etcd's log without the zeros that etcd allocates in advance. Some stay, and mark the end.
func withoutReserve(segment []byte) []byte {
	const page = 4096
	used := len(bytes.TrimRight(segment, "\x00"))
	return segment[:min(len(segment), (used/page+2)*page)]
}

// unpack writes the files of a fixture to a directory.
func unpack(t *testing.T, file, dir string) {
	in, err := os.Open(file)
	require.NoError(t, err)
	defer in.Close()
	z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(64<<20))
	require.NoError(t, err)
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		path := filepath.Join(dir, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			require.NoError(t, os.MkdirAll(path, fs.FileMode(h.Mode)))
		case tar.TypeSymlink:
			require.NoError(t, os.Symlink(h.Linkname, path))
		default:
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, content, fs.FileMode(h.Mode)))
		}
	}
}
