package render

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patched has a patch of one container: with the merge key of the built-in schema, the other one stays.
var patched = map[string]string{
	"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\n",
	"a.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: a}, {name: sidecar, image: b}]}}}
`,
	"p.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: c}]}}}
`,
}

// withSchema has a schema in which a Deployment has no merge keys.
func withSchema() map[string]string {
	files := map[string]string{}
	for name, text := range patched {
		files[name] = text
	}
	files["kustomization.yaml"] += "openapi: {path: schema.json}\n"
	files["schema.json"] = `{"definitions": {"x.Deployment": {
		"x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Deployment"}], "properties": {}
	}}}`
	return files
}

func containersOf(t *testing.T, files map[string]string) string {
	objects, err := Build(treeOf(files), Options{})
	require.NoError(t, err)
	text, err := json.Marshal(objects[0].Manifest.Get().Object["spec"])
	require.NoError(t, err)
	return string(text)
}

// The schema of one repository must not change the build of another.
func TestHostileSchema(t *testing.T) {
	require.Contains(t, containersOf(t, patched), "sidecar")
	require.NotContains(t, containersOf(t, withSchema()), "sidecar", "the schema holds for its own build")
	require.Contains(t, containersOf(t, patched), "sidecar")
}

// Builds run at the same time, also beside those that set the schema.
func TestHostileConcurrentBuilds(t *testing.T) {
	var building sync.WaitGroup
	for i := range 16 {
		building.Go(func() {
			files, want := patched, true
			if i%4 == 0 {
				files, want = withSchema(), false
			}
			for range 5 {
				objects, err := Build(treeOf(files), Options{})
				if err != nil || strings.Contains(string(marshal(objects[0].Manifest.Get().Object)), "sidecar") != want {
					t.Errorf("build %d: %v", i, err)
				}
			}
		})
	}
	building.Wait()
}

func marshal(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// A build that takes long does not hold up another, also while one that sets the schema waits for it.
func TestHostileSlowBuild(t *testing.T) {
	builtinSchema()
	schemaMu.lock() // as a build that takes long
	alone := make(chan string)
	go func() { alone <- containersOf(t, withSchema()) }()
	defer func() {
		schemaMu.unlock()
		require.NotContains(t, <-alone, "sidecar")
	}()
	time.Sleep(100 * time.Millisecond) // until it waits
	done := make(chan string)
	go func() { done <- containersOf(t, patched) }()
	select {
	case got := <-done:
		require.Contains(t, got, "sidecar")
	case <-time.After(time.Minute):
		require.Fail(t, "the build waits for the other one")
	}
}
