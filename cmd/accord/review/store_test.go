package review

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// edited is a Git repository that is edited again and again.
type edited struct {
	t      *testing.T
	random *rand.Rand
	dir    string
	repo   *git.Repository
}

// edits is the number of objects of the repository at first.
const edits = 300

func newEdited(t *testing.T) *edited {
	t.Helper()
	dir := t.TempDir()
	repo, err := git.PlainInit(dir, false)
	require.NoError(t, err)
	e := &edited{t, rand.New(rand.NewPCG(5, 6)), dir, repo}
	for i := range edits {
		e.object(i, 0)
	}
	e.write("policies/all.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
`)
	e.override(0)
	e.clusters(3)
	e.commit()
	return e
}

func (e *edited) write(name, text string) {
	path := filepath.Join(e.dir, name)
	require.NoError(e.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(e.t, os.WriteFile(path, []byte(text), 0o644))
}

func (e *edited) object(i, version int) {
	name := fmt.Sprintf("apps/%d/%d.yaml", i%7, i)
	if i%3 == 0 {
		e.write(name, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: x%d}\ndata: {n: \"%d\"}\n", i, i%5, version))
		return
	}
	e.write(name, fmt.Sprintf("# v%d\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d%d, namespace: x%d, labels: {tenth: \"%d\"}}\nspec:\n  replicas: %d\n"+
		"  selector: {matchLabels: {app: d}}\n  template:\n    metadata: {labels: {app: d}}\n    spec:\n      containers:\n      - {name: main, image: shop/app:1.%d}\n", version, i, i%5, i%10, 1+version%4, version))
}

// override has rules whose lines move, whose values change, and one that fails for some objects.
func (e *edited) override(version int) {
	comment := ""
	if version%2 == 1 {
		comment = "# another line\n"
	}
	e.write("policies/override.yaml", comment+fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: mirror}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - targetCluster: {clusterNames: [k1]}
    overriders:
      imageOverrider: [{component: Registry, operator: replace, value: r%d.example.com}]
      labelsOverrider: [{operator: add, value: {on: k1}}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: tenth}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {tenth: "%d"}}}]
  overrideRules:
  - overriders: {plaintext: [{path: /spec/%s, operator: replace, value: 9}]}
`, version/2, version%10, []string{"replicas", "absent/below"}[version%3/2]))
}

func (e *edited) clusters(n int) {
	all := ""
	for i := range n {
		all += fmt.Sprintf("---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: k%d}, spec: {region: r%d}}\n", i, i%2)
	}
	e.write("clusters.yaml", all)
}

// edit changes a few files. Every third time it also adds and removes files, or changes policies or clusters.
func (e *edited) edit(step int) {
	few := step%3 > 0
	for range 1 + e.random.IntN(10) {
		i := e.random.IntN(edits + 20)
		file := filepath.Join(e.dir, fmt.Sprintf("apps/%d/%d.yaml", i%7, i))
		if _, err := os.Stat(file); few && err != nil {
			continue
		}
		if e.object(i, step); !few && e.random.IntN(4) == 0 {
			require.NoError(e.t, os.Remove(file))
		}
	}
	if few {
		return
	}
	switch step / 3 % 4 {
	case 0:
		e.override(step)
	case 1:
		e.clusters(2 + e.random.IntN(3))
	case 2:
		for i := range edits / 2 {
			e.object(i, step)
		}
	}
}

func (e *edited) commit() {
	tree, err := e.repo.Worktree()
	require.NoError(e.t, err)
	require.NoError(e.t, tree.AddWithOptions(&git.AddOptions{All: true}))
	_, err = tree.Commit("edit", &git.CommitOptions{AllowEmptyCommits: true, Author: &object.Signature{Name: "a", Email: "a@b", When: time.Unix(0, 0)}})
	require.NoError(e.t, err)
}

// plan returns the text and the JSON of the plan of the last commit, and what it wrote to stderr.
func (e *edited) plan(cache string, args ...string) (out, stderr string) {
	e.t.Helper()
	var o Options
	c := &cobra.Command{}
	o.Register(c)
	require.NoError(e.t, c.ParseFlags(append([]string{"--cache-dir", cache, "--base", "HEAD~1"}, args...)))
	var warned, printed bytes.Buffer
	r, err := o.Run(e.t.Context(), e.dir, &warned)
	require.NoError(e.t, err)
	r.command = nil // it names the cache
	for _, f := range []text.Format{text.AsText, text.AsJSON} {
		require.NoError(e.t, r.Print(&printed, f, MaxBudget))
	}
	return printed.String(), warned.String()
}

// TestPlanWithAStore: over random commits, a plan that uses results of earlier runs is the plan without them, in every byte, also
// when entries are damaged in between.
func TestPlanWithAStore(t *testing.T) {
	t.Setenv("ACCORD_KUBECONFIG", "")
	e := newEdited(t)
	cache := filepath.Join(t.TempDir(), "cache")
	entries := func() []string {
		all, err := filepath.Glob(filepath.Join(cache, "plans", "*.entry"))
		require.NoError(t, err)
		return all
	}
	complete := 0
	for step := 1; step < 13; step++ {
		e.edit(step)
		e.commit()
		want, _ := e.plan(filepath.Join(t.TempDir(), "empty"), "--head", "HEAD")
		got, stderr := e.plan(cache, "--head", "HEAD")
		require.Equal(t, want, got, "step %d", step)
		require.Empty(t, stderr)
		again, _ := e.plan(cache, "--head", "HEAD")
		require.Equal(t, want, again, "step %d, once more", step)
		complete += len(entries()) / 2 // decoded files, and digests of rendered objects
		if step%5 == 0 {
			for _, path := range entries() {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				data[e.random.IntN(len(data))] ^= 0x40
				require.NoError(t, os.WriteFile(path, data, 0o600))
			}
		}
		e.edit(step) // not committed
		want, _ = e.plan(filepath.Join(t.TempDir(), "empty"))
		got, _ = e.plan(cache)
		require.Equal(t, want, got, "step %d, the working tree", step)
	}
	require.Greater(t, complete, 3)
}

// TestPlanRefusesAStoreOfOthers: entries that another user could have written are not read, and the plan is the same.
func TestPlanRefusesAStoreOfOthers(t *testing.T) {
	t.Setenv("ACCORD_KUBECONFIG", "")
	e := newEdited(t)
	e.edit(1)
	e.commit()
	cache := filepath.Join(t.TempDir(), "cache")
	want, _ := e.plan(cache, "--head", "HEAD")
	require.NoError(t, os.Chmod(filepath.Join(cache, "plans"), 0o777))
	got, stderr := e.plan(cache, "--head", "HEAD")
	require.Equal(t, want, got)
	require.Contains(t, stderr, "can be written to by others")
}
