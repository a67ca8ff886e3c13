package reconciler_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestNothingIsSeenWithoutItsOverrides withdraws an object together with its overrides, in every way: each version of it that a
// member ever stores, the last one included, is an overridden one.
func TestNothingIsSeenWithoutItsOverrides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	seen := watchOverrides(w)
	for name, c := range map[string]withdrawal{
		"karmada#3873: the policy leaves too":      {commit: []string{"policy.yaml", "", "overrides.yaml", ""}, gone: both},
		"all leave together":                       {commit: []string{"policy.yaml", "", "overrides.yaml", "", "app.yaml", ""}, gone: both},
		"the object leaves with the overrides":     {commit: []string{"overrides.yaml", "", "app.yaml", ""}, gone: both},
		"one cluster leaves policy and overrides":  {commit: []string{"policy.yaml", policyOf("%s", "clusterNames: [cluster-a]"), "overrides.yaml", overrideOf("%s", "cluster-a")}, gone: both[1:]},
		"it is preserved":                          {policy: "  preserveResourcesOnDeletion: true\n", commit: []string{"policy.yaml", "", "overrides.yaml", ""}},
		"karmada#3873: without prune":              {declare: func(spec *v1alpha1.FederationSpec) { spec.Prune = false }, commit: []string{"policy.yaml", "", "overrides.yaml", ""}},
		"the brake stops it":                       {declare: func(spec *v1alpha1.FederationSpec) { spec.PruneLimits.MaxObjects = new(int32(0)) }, commit: []string{"policy.yaml", "", "overrides.yaml", ""}, braked: true},
		"the policy is held in the same commit":    {commit: []string{"policy.yaml", policyOf("%s", "clusterNames: [cluster-a, cluster-b]") + "  suspension: {dispatching: true}\n", "overrides.yaml", ""}, held: true},
		"the policy waits for overrides that left": {policy: "  dependentOverrides: [%s]\n", commit: []string{"overrides.yaml", ""}, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			inner := *w
			inner.t = t
			c.withdraw(&inner, fmt.Sprintf("veiled-%d", len(w.rights.repositories)))
			require.Empty(t, seen.wrong())
		})
	}
	require.NotZero(t, seen.versions)
}

// withdrawal is one way to withdraw an object; %s stands for its name.
type withdrawal struct {
	declare             func(*v1alpha1.FederationSpec)
	policy              string   // is appended to the first policy
	commit              []string // what is pushed then
	gone                []string // clusters that it leaves
	braked, held, waits bool
}

func (c withdrawal) withdraw(w *world, name string) {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		if c.declare != nil {
			c.declare(spec)
		}
	})
	w.ready(r, r.push("overridden", "app.yaml", configMap(name, "nowhere"), "overrides.yaml", overrideOf(name, both...),
		"policy.yaml", policyOf(name, "clusterNames: [cluster-a, cluster-b]")+named(c.policy, name),
		"one.yaml", configMap(name+"-one", "1"), "one-policy.yaml", policyOf(name+"-one", "clusterNames: [cluster-a, cluster-b]"),
		"two.yaml", configMap(name+"-two", "1"), "two-policy.yaml", policyOf(name+"-two", "clusterNames: [cluster-a, cluster-b]")))
	before := w.ours(r)

	files := []string{"one.yaml", configMap(name+"-one", "2")}
	for _, f := range c.commit {
		files = append(files, named(f, name))
	}
	sha := r.push("withdrawn", files...)
	switch {
	case c.braked:
		w.condition(r, sha, "Ready", "False", "PruneBlocked")
	case c.held:
		w.condition(r, sha, "Ready", "Unknown", "Held")
	case c.waits:
		w.buildFailed(r, sha, "missing-override")
	default:
		w.ready(r, sha)
	}
	if c.braked || c.waits { // the other objects keep their version as well
		w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing happens")
		require.Equal(w.t, before, w.ours(r))
		return
	}
	w.eventually("the other object to be changed", func() error {
		return unless(w.configMap("cluster-a", name+"-one").Data["key"] == "2", "it is not")
	})
	for _, cluster := range c.gone {
		w.eventually("it to leave "+cluster, func() error { return unless(w.absent(cluster, name), "it is there") })
	}
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing more happens")
	for _, cluster := range both[:len(both)-len(c.gone)] {
		require.Equal(w.t, before[cluster+" "+name].uid, string(w.configMap(cluster, name).UID))
	}
}

// named puts a name into a manifest that has %s for it.
func named(manifest, name string) string {
	return strings.ReplaceAll(manifest, "%s", name)
}

// overrideOf writes into one ConfigMap which cluster it is for.
func overrideOf(name string, clusters ...string) string {
	rules := ""
	for _, c := range clusters {
		rules += fmt.Sprintf("  - targetCluster:\n      clusterNames: [%s]\n    overriders:\n      plaintext:\n"+
			"      - path: /data/key\n        operator: replace\n        value: for %s\n", c, c)
	}
	return fmt.Sprintf("apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata:\n  namespace: shop\n  name: %s\nspec:\n"+
		"  resourceSelectors:\n  - apiVersion: v1\n    kind: ConfigMap\n    name: %s\n  overrideRules:\n%s", name, name, rules)
}

// overrides are the versions of the ConfigMaps that have to be overridden, as members stored them.
type overrides struct {
	mu       sync.Mutex
	versions int
	bare     []string
}

func (o *overrides) wrong() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bare
}

// watchOverrides sees every version from now on.
func watchOverrides(w *world) *overrides {
	w.t.Helper()
	o := &overrides{}
	ctx, cancel := context.WithCancel(w.t.Context())
	var watching sync.WaitGroup
	for cluster := range w.members {
		k, err := kubernetes.NewForConfig(w.planes[cluster].Config())
		require.NoError(w.t, err)
		events := watchAll(ctx, w.t, k)
		watching.Go(func() {
			for e := range events.ResultChan() {
				o.judge(cluster, e)
			}
		})
	}
	w.t.Cleanup(func() { cancel(); watching.Wait() })
	return o
}

func (o *overrides) judge(cluster string, e watch.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	cm, ok := e.Object.(*corev1.ConfigMap)
	if !ok {
		o.bare = append(o.bare, fmt.Sprintf("the watch of %s ended: %v", cluster, e.Object))
		return
	}
	if value := cm.Data["key"]; value == "nowhere" || len(value) > 3 && value != "for "+cluster && cm.Namespace == "shop" {
		o.bare = append(o.bare, fmt.Sprintf("%s on %s: %q, %s", cm.Name, cluster, value, e.Type))
	}
	o.versions++
}
