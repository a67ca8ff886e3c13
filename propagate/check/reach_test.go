package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
)

// TestReach: selectors for everything are reported from a hundred copies on.
func TestReach(t *testing.T) {
	repository := func(objects, clusters int) string {
		var b strings.Builder
		b.WriteString("-- all.yaml --\n")
		for i := range objects {
			fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: ns%d}}\n", i, i)
		}
		for i := range clusters {
			fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c%d}}\n", i)
		}
		b.WriteString(`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: all}
spec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {fleet: prod}}]}}]}
`)
		return b.String()
	}
	require.Empty(t, findings(t, []byte(repository(9, 11)), func(propagate.Input) {}), "99 copies")
	require.Equal(t, `note wide-selector all.yaml:45:28 ClusterPropagationPolicy all selects every ConfigMap in all namespaces: 10 objects, 100 copies on clusters / select by name, namespace or label
note wide-selector all.yaml:47 ClusterOverridePolicy all has no resourceSelectors: it changes every object, 10 objects, 100 copies on clusters / write spec.resourceSelectors
`, findings(t, []byte(repository(10, 10)), func(propagate.Input) {}))
}

// TestServedKindNeedsNoDefinition: a cluster that is known to serve a kind needs no CustomResourceDefinition from the repository.
func TestServedKindNeedsNoDefinition(t *testing.T) {
	in, err := dump.Read([]byte(`
-- all.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: CronTab, plural: crontabs}, versions: [{name: v1, served: true, storage: true}]}
---
{apiVersion: example.com/v1, kind: CronTab, metadata: {name: nightly, namespace: shop}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all, namespace: shop}
spec: {resourceSelectors: [{apiVersion: example.com/v1, kind: CronTab}]}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}
`))
	require.NoError(t, err)
	require.Contains(t, codes(t, in), "missing-crd")
	in.Fleet[0].APIs = &fleet.APIs{Served: map[schema.GroupVersionKind]bool{{Group: "example.com", Version: "v1", Kind: "CronTab"}: true}}
	require.NotContains(t, codes(t, in), "missing-crd")
}

// TestDeciding: the checks for the status of every Release read no rendered object.
func TestDeciding(t *testing.T) {
	in, err := dump.Read([]byte(many(60, 3)))
	require.NoError(t, err)
	in.Policies[0].Spec.Preemption = "Always"
	plan, err := propagate.New(in)
	require.NoError(t, err)
	found := check.Run(in, plan, check.Deciding()...)
	require.Len(t, found, 1)
	require.Equal(t, "without-effect", found[0].Code)
	require.Less(t, len(check.Deciding()), len(check.All()))
}

func codes(t *testing.T, in propagate.Input) []string {
	t.Helper()
	plan, err := propagate.New(in)
	require.NoError(t, err)
	var all []string
	for _, f := range check.Run(in, plan) {
		all = append(all, f.Code)
	}
	return all
}
