package reconciler_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
)

const (
	steadyObjects  = 8 // are on every cluster in every commit
	roamingObjects = 4 // come and go, with their policy and their overrides
)

// commits pushes one random commit after the other, and knows what each wants of every cluster.
type commits struct {
	*repository
	random   *rand.Rand
	clusters []string
	files    map[string]string // as they were pushed last
	exceeded bool              // the work tree lacks the files that the prune limits keep

	mu    sync.Mutex // guards all below, which observers read
	wants []commit   // by number; the last may not be pushed yet
	stop  bool       // the prune limits stop the next one
	shas  []string   // of those that are
}

// commit is what one commit wants on each cluster; nil for one that is not delivered: it cannot be read, or the prune
// limits stop it.
type commit map[string]map[manifest.ID]version

// version is one object as it is wanted on one cluster.
type version struct {
	digest string
	data   map[string]string
}

func newCommits(r *repository, random *rand.Rand, clusters []string) *commits {
	c := &commits{repository: r, random: random, clusters: clusters, files: map[string]string{}}
	for i := range steadyObjects {
		c.files[fmt.Sprintf("steady-%d.yaml", i)] = stored("shop", fmt.Sprintf("steady-%d", i), "0")
	}
	c.files["anchor.yaml"] = stored("store", "anchor", "0") // so that the namespace stays
	c.files["rollout.yaml"] = stagesOf("shop", clusters)
	c.files["steady-policy.yaml"] = propagationOf("shop", "steady", "", clusters) + "---\n" + propagationOf("store", "anchor", "anchor", clusters)
	c.files["steady-overrides.yaml"] = overridesOf("shop", "steady", "", clusters, 0) + "---\n" + overridesOf("store", "anchor", "anchor", clusters, 0)
	return c
}

// stored is the manifest of a ConfigMap. That it says "nowhere" must never be seen on a cluster.
func stored(namespace, name, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: %s\n  name: %s\ndata:\n  cluster: nowhere\n  value: %q\n", namespace, name, value)
}

// selecting is the selector of the ConfigMaps of a namespace, or of one.
func selecting(name string) string {
	if name != "" {
		name = "    name: " + name + "\n"
	}
	return "  resourceSelectors:\n  - apiVersion: v1\n    kind: ConfigMap\n" + name
}

func propagationOf(namespace, policy, name string, clusters []string) string {
	return fmt.Sprintf("apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata:\n  namespace: %s\n  name: %s\nspec:\n%s"+
		"  placement:\n    clusterAffinity:\n      clusterNames: [%s]\n", namespace, policy, selecting(name), strings.Join(clusters, ", "))
}

// stagesOf has what changes in a namespace go from one cluster to the next, so that many kills come in mid-stage.
func stagesOf(namespace string, clusters []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: accord.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  namespace: %s\n  name: one-by-one\nspec:\n%s  stages:\n", namespace, selecting(""))
	for _, c := range clusters {
		fmt.Fprintf(&b, "  - name: %s\n    clusterAffinity:\n      clusterNames: [%s]\n", c, c)
	}
	return b.String()
}

// overridesOf writes the name of the cluster and a number into every object.
func overridesOf(namespace, policy, name string, clusters []string, number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata:\n  namespace: %s\n  name: %s\nspec:\n%s  overrideRules:\n",
		namespace, policy, selecting(name))
	for _, c := range clusters {
		fmt.Fprintf(&b, "  - targetCluster:\n      clusterNames: [%s]\n    overriders:\n      plaintext:\n      - path: /data/cluster\n"+
			"        operator: replace\n        value: %s-%d\n", c, c, number)
	}
	return b.String()
}

// next pushes another commit.
func (c *commits) next() {
	c.t.Helper()
	number := len(c.shas)
	next := maps.Clone(c.files)
	c.change(next, number)
	if number > 0 && c.random.IntN(12) == 0 { // a mistake, which the next commit takes back
		c.push(fmt.Sprint("commit ", number), "steady-0.yaml", "data: [unclosed\n")
		return
	}
	if number > 4 && !c.exceeded && c.random.IntN(8) == 0 {
		c.excess(number)
		return
	}
	c.commit(next)
}

// excess pushes a commit that the prune limits stop, which the next commit takes back: an object changes and loses its
// override, and most of the others leave.
func (c *commits) excess(number int) {
	c.t.Helper()
	files := []string{"anchor.yaml", stored("store", "anchor", fmt.Sprint(number)), "steady-overrides.yaml", ""}
	for i := range steadyObjects {
		files = append(files, fmt.Sprintf("steady-%d.yaml", i), "")
	}
	c.stop, c.exceeded = true, true
	c.push(fmt.Sprint("commit ", number), files...)
	c.stop = false
}

// commit pushes all files as they are to be.
func (c *commits) commit(next map[string]string) {
	c.t.Helper()
	var files []string
	for _, path := range slices.Sorted(maps.Keys(next)) {
		files = append(files, path, next[path])
	}
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		if next[path] == "" {
			files = append(files, path, "")
		}
	}
	c.files, c.exceeded = next, false
	c.push(fmt.Sprint("commit ", len(c.shas)), files...)
}

// push notes what a commit wants before anybody can see it.
func (c *commits) push(message string, files ...string) {
	c.t.Helper()
	sha := c.repository.push(message, files...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shas = append(c.shas, sha)
}

// change makes random changes: new values, other overrides, and a group of objects that moves, goes with its policy and
// its overrides, and comes back.
func (c *commits) change(files map[string]string, number int) {
	for i := range steadyObjects {
		if c.random.IntN(2) == 0 {
			files[fmt.Sprintf("steady-%d.yaml", i)] = stored("shop", fmt.Sprintf("steady-%d", i), fmt.Sprint(number))
		}
	}
	if c.random.IntN(4) == 0 {
		files["steady-overrides.yaml"] = overridesOf("shop", "steady", "", c.clusters, number) + "---\n" + overridesOf("store", "anchor", "anchor", c.clusters, number)
	}
	switch c.random.IntN(4) {
	case 0: // they stay in Git, and nobody places them
		delete(files, "roaming-policy.yaml")
		delete(files, "roaming-overrides.yaml")
	case 1:
		for i := range roamingObjects {
			delete(files, fmt.Sprintf("roaming-%d.yaml", i))
		}
		delete(files, "roaming-policy.yaml")
		delete(files, "roaming-overrides.yaml")
	case 2:
		c.roam(files, number)
	}
}

// roam places the group on some clusters.
func (c *commits) roam(files map[string]string, number int) {
	var some []string
	for _, cluster := range c.clusters {
		if c.random.IntN(3) > 0 {
			some = append(some, cluster)
		}
	}
	if len(some) == 0 {
		some = c.clusters[:1]
	}
	var policies, overrides []string
	for i := range roamingObjects {
		name := fmt.Sprintf("roaming-%d", i)
		files[name+".yaml"] = stored("store", name, fmt.Sprint(number))
		policies = append(policies, propagationOf("store", name, name, some))
		overrides = append(overrides, overridesOf("store", name, name, c.clusters, number))
	}
	files["roaming-policy.yaml"] = strings.Join(policies, "---\n")
	files["roaming-overrides.yaml"] = strings.Join(overrides, "---\n")
}

// plan notes what the work tree wants, which is about to be pushed.
func (c *commits) plan(fed *v1alpha1.Federation) {
	want := c.render(fed)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wants = append(c.wants, want)
}

// render makes of the work tree what every cluster should get of it; nil if it cannot be read.
func (c *commits) render(fed *v1alpha1.Federation) commit {
	objects, err := render.Build(os.DirFS(c.work), render.Options{})
	if err != nil || c.stop {
		return nil
	}
	parts, err := decode.Sort(objects)
	require.NoError(c.t, err)
	in := parts.Input().WithFederation(fed)
	for _, name := range c.clusters {
		in.Fleet = append(in.Fleet, fleet.Cluster{Name: name})
	}
	plan, err := propagate.New(in)
	require.NoError(c.t, err)
	wanted := commit{}
	for _, name := range c.clusters {
		target := plan.ForCluster(name)
		require.Empty(c.t, target.Failed)
		wanted[name] = map[manifest.ID]version{}
		for _, p := range target.Objects {
			made := &corev1.ConfigMap{}
			require.NoError(c.t, json.Unmarshal(p.Body.Bytes(), made))
			wanted[name][p.ID] = version{p.Digest, made.Data}
		}
	}
	return wanted
}

// number of the commit that a Release is of; -1 if it is not known.
func (c *commits) number(subject string) int {
	n := -1
	_, _ = fmt.Sscanf(subject, "commit %d", &n)
	return n
}

// of is what the commits want of one object on one cluster, by number; the zero version is nothing. Those that are not
// delivered want what the one before wants.
func (c *commits) of(cluster string, id manifest.ID) []version {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]version, len(c.wants))
	for i, want := range c.wants {
		if all[i] = want[cluster][id]; want == nil {
			all[i] = all[i-1]
		}
	}
	return all
}

// at is what one commit wants; nil if it cannot be read, or is not known.
func (c *commits) at(number int) commit {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number < 0 || number >= len(c.wants) {
		return nil
	}
	return c.wants[number]
}
