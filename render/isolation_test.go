package render

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestNothingIsRunOrDownloaded uses references that kustomize follows out of the tree. Programs in PATH and a server
// notice that. One tree is also built by kustomize directly, to show that they notice.
func TestNothingIsRunOrDownloaded(t *testing.T) {
	noticed := filepath.Join(t.TempDir(), "noticed")
	bin := t.TempDir()
	for _, program := range []string{"git", "helm", "docker", "sh", "go", "run"} {
		script := "#!/bin/sh\necho \"$0 $@\" >>" + noticed + "\nexit 1\n"
		require.NoError(t, os.WriteFile(filepath.Join(bin, program), []byte(script), 0o755))
	}
	t.Setenv("PATH", bin)
	t.Setenv("TMPDIR", t.TempDir()) // kustomize leaves the directory of a failed clone
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()

	t.Run("kustomize alone does both", func(t *testing.T) {
		memory := filesys.MakeFsInMemory()
		require.NoError(t, memory.WriteFile("/kustomization.yaml", []byte("resources: ["+server.URL+"/org/repo]\n")))
		_, err := krustyRun(memory, "/", true)
		require.Error(t, err)
		require.FileExists(t, noticed)
		require.NoError(t, os.Remove(noticed))
		require.NotZero(t, requests.Swap(0))
	})
	for name, files := range map[string]map[string]string{
		"resource that is a URL":                 {"kustomization.yaml": "resources: [" + server.URL + "/a.yaml]"},
		"key in another case":                    {"kustomization.yaml": "RESOURCES: [" + server.URL + "/a.yaml]"},
		"base that is a repository":              {"kustomization.yaml": "bases: ['git::" + server.URL + "/org/repo']"},
		"component over ssh":                     {"kustomization.yaml": "components: ['ssh://git@127.0.0.1/org/repo']"},
		"scp-like repository":                    {"kustomization.yaml": "resources: ['me@127.0.0.1:org/repo']"},
		"local repository":                       {"kustomization.yaml": "resources: ['file:///tmp/repo']"},
		"patch":                                  {"kustomization.yaml": "patches: [{path: '" + server.URL + "/p.yaml'}]"},
		"patch of the old form":                  {"kustomization.yaml": "patchesStrategicMerge: ['" + server.URL + "/p.yaml']"},
		"JSON patch":                             {"kustomization.yaml": "patchesJson6902: [{path: '" + server.URL + "/p.yaml'}]"},
		"CRD":                                    {"kustomization.yaml": "crds: ['" + server.URL + "/crd.json']"},
		"configuration":                          {"kustomization.yaml": "configurations: ['" + server.URL + "/c.yaml']"},
		"schema":                                 {"kustomization.yaml": "openapi: {path: '" + server.URL + "/s.json'}"},
		"file of a ConfigMap":                    {"kustomization.yaml": "configMapGenerator: [{name: x, files: ['a=" + server.URL + "/f']}]"},
		"env of a Secret":                        {"kustomization.yaml": "secretGenerator: [{name: x, env: '" + server.URL + "/f'}]"},
		"replacement":                            {"kustomization.yaml": "replacements: [{path: '" + server.URL + "/r.yaml'}]"},
		"transformer in a file":                  {"kustomization.yaml": "transformers: [t.yaml]", "t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\nPath: " + server.URL + "/p.yaml\n"},
		"generator in a file":                    {"kustomization.yaml": "generators: [g.yaml]", "g.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nfiles: ['k=" + server.URL + "/p.yaml']\n"},
		"replacement transformer":                {"kustomization.yaml": "transformers: [t.yaml]", "t.yaml": "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: '" + server.URL + "/p.yaml'}]\n"},
		"Helm chart":                             {"kustomization.yaml": "helmCharts: [{name: x, repo: '" + server.URL + "'}]"},
		"Helm chart by a generator":              {"kustomization.yaml": "generators: [g.yaml]", "g.yaml": "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: x\nrepo: " + server.URL + "\n"},
		"function in a container":                {"kustomization.yaml": "transformers: [t.yaml]", "t.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: {config.kubernetes.io/function: 'container: {image: x}'}}\n"},
		"function that is a program":             {"kustomization.yaml": "validators: [t.yaml]", "t.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: {config.kubernetes.io/function: 'exec: {path: ./run}'}}\n"},
		"directory of generators":                {"kustomization.yaml": "generators: [g]", "g/kustomization.yaml": "resources: []\n"},
		"broken file in a directory github.com":  {"kustomization.yaml": "resources: [github.com/org/repo.yaml]", "github.com/org/repo.yaml": "a: [\n"},
		"broken file that a relative path hides": {"kustomization.yaml": "resources: [./github.com/org/repo.yaml]", "github.com/org/repo.yaml": "a: [\n"},
		"URL in a base":                          {"a/kustomization.yaml": "resources: [../b]", "b/kustomization.yaml": "resources: [" + server.URL + "/a.yaml]"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := Build(fsys, Options{})
			require.Error(t, err)
			require.NoFileExists(t, noticed)
			require.Zero(t, requests.Load())
		})
	}
}
