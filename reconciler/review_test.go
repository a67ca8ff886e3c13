package reconciler_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A Release tells what a reviewer should have seen, the worst first: it has room for a few.
func TestAReleaseTellsTheFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	r := w.federation("advice")
	sha := r.push("first", "app.yaml", configMap("advised", "1"), "policy.yaml", policyFor("advised", []string{"cluster-a", "clustera"}, `  failover:
    cluster: {}
`)+`---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: late}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: adviced}]
`)
	require.Equal(t, []string{
		`policy.yaml:12: PropagationPolicy shop/advised: spec.placement.clusterAffinity.clusterNames names cluster "clustera", which is not in the fleet (write "cluster-a")`,
		`policy.yaml:20: PropagationPolicy shop/late selects no object (did you mean "advised"?)`,
		`policy.yaml:13: PropagationPolicy shop/advised: spec.failover is not acted on: the Federation does not enable failover (spec.failover.enabled)`,
	}, w.ready(r, sha).Status.Warnings)
}
