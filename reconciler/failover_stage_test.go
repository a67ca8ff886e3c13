package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// rollingOut: the source has the second version and its stage awaits approval. The replacement gets the second version although its stage
// has not started, and the old copy is deleted without waiting for a stage. Another object of the rollout keeps waiting there.
func rollingOut(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object in stages", "staged.yaml", configMap("staged", "1"), "staged-policy.yaml", movable("v1", "ConfigMap", "staged", "{cluster: {purgeMode: Gracefully}}"),
		"spread.yaml", configMap("spread", "1"), "spread-policy.yaml", policyFor("spread", fleetOfThree, "")))
	source := w.chosen(r, "staged")
	w.there(source, "staged", true)
	others := slices.DeleteFunc(slices.Clone(fleetOfThree), func(name string) bool { return name == source })
	second := r.push("the second version", "staged.yaml", configMap("staged", "2"), "spread.yaml", configMap("spread", "2"), "stages.yaml", fmt.Sprintf(`apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: staged}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: staged}, {apiVersion: v1, kind: ConfigMap, name: spread}]
  stages:
  - {name: canary, clusterAffinity: {clusterNames: [%s]}, gate: {approval: Manual}}
  - {name: world, clusterAffinity: {clusterNames: [%s]}}
`, source, strings.Join(others, ", ")))
	w.rollout(r, second, "WaitingForApproval", "canary")
	require.Equal(t, "2", w.configMap(source, "staged").Data["key"])

	w.taintCluster(source, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute})
	w.evicted(r, "staged", "completed", completed)
	target := w.chosen(r, "staged")
	require.NotEqual(t, source, target)
	require.Equal(t, "2", w.configMap(target, "staged").Data["key"])
	require.Equal(t, "1", w.configMap(target, "spread").Data["key"])
	w.there(source, "staged", false)

	// A copy that waits for its stage is not held, and the next replacement gets its version.
	w.taintCluster(target, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute})
	w.eventually("the next eviction", func() error {
		return unless(!slices.Contains([]string{source, target}, w.chosen(r, "staged")), "it has not left "+target)
	})
	third := w.chosen(r, "staged")
	w.there(third, "staged", true)
	require.Equal(t, "2", w.configMap(third, "staged").Data["key"])
	require.Equal(t, "1", w.configMap(third, "spread").Data["key"])
	w.there(target, "staged", false)
	w.taintCluster(source)
	w.taintCluster(target)
	w.applied(r, r.push("the end of it", "staged.yaml", "", "staged-policy.yaml", "", "stages.yaml", "", "spread.yaml", "", "spread-policy.yaml", ""))
}

// taintCluster replaces the taints that people declared on a Cluster.
func (w *world) taintCluster(name string, taints ...corev1.Taint) {
	w.t.Helper()
	w.eventually("the Cluster to be changed", func() error {
		c := w.cluster(name)
		c.Spec.Taints = taints
		err := w.hub.Update(w.t.Context(), c)
		if apierrors.IsConflict(err) {
			return err
		}
		require.NoError(w.t, err)
		return nil
	})
}
