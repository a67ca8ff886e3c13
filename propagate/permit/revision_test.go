package permit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/permit"
)

// planOf returns a plan of ConfigMaps on the clusters a and b; more is appended to the policy.
func planOf(t *testing.T, more string, names ...string) *propagate.Plan {
	t.Helper()
	var text strings.Builder
	text.WriteString("-- input --\nfederation: demo/prod\n-- all.yaml --\n")
	for _, name := range names {
		text.WriteString("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: \"" + name + "\", namespace: shop}}\n")
	}
	text.WriteString("---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p, namespace: shop}, " +
		"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {}" + more + "}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}\n---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}\n")
	in, err := dump.Read([]byte(text.String()))
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	return plan
}

func unwanted(count int, ids []manifest.ID) permit.Delivered {
	d := permit.Delivered{Count: count, Unwanted: map[manifest.ID]map[string]string{}}
	for _, id := range ids {
		d.Unwanted[id] = nil
	}
	return d
}

func TestDefectR2RevisionIsBlockedAsAWhole(t *testing.T) {
	all := []string{"0", "1", "2", "3", "4", "5", "6", "7"}
	seven := configMaps(7)
	next, before := planOf(t, "", "7"), planOf(t, "", all...)
	for name, c := range map[string]struct {
		limits       v1alpha1.PruneLimits
		plan, active *propagate.Plan
		clusters     map[string]permit.Delivered
		want         map[string]string // parts of the reasons
	}{
		"nothing is known of any cluster": {plan: next, clusters: map[string]permit.Delivered{"a": {}, "b": {}}},
		"one cluster loses too much":      {plan: next, active: before, clusters: map[string]permit.Delivered{"a": unwanted(8, seven), "b": unwanted(8, seven[:2])}, want: map[string]string{"a": "would delete 7 of 8"}},
		"before the first plan":           {plan: next, clusters: map[string]permit.Delivered{"a": unwanted(8, seven)}, want: map[string]string{"a": "would delete 7 of 8"}},
		"a higher limit":                  {limits: v1alpha1.PruneLimits{MaxPercent: new(int32(90))}, plan: next, active: before, clusters: map[string]permit.Delivered{"a": unwanted(8, seven)}},
		"the active plan removes them":    {plan: next, active: planOf(t, "", "7"), clusters: map[string]permit.Delivered{"a": unwanted(8, seven)}},
		"the active plan holds them":      {plan: next, active: planOf(t, ", suspension: {dispatching: true}", "7"), clusters: map[string]permit.Delivered{"a": unwanted(8, seven)}, want: map[string]string{"a": "would delete 7 of 8"}},
		"their hold ends":                 {plan: next, active: planOf(t, ", suspension: {dispatching: true}", "7"), clusters: map[string]permit.Delivered{"a": unwanted(8, seven[:2])}, want: map[string]string{"a": "the hold ends, and that deletes 2 objects (ConfigMap shop/0, ConfigMap shop/1); held until now: PropagationPolicy"}},
		"their hold goes on":              {plan: planOf(t, ", suspension: {dispatching: true}", "7"), active: planOf(t, ", suspension: {dispatching: true}", "7"), clusters: map[string]permit.Delivered{"a": unwanted(8, seven[:2])}},
		"the plan holds them":             {plan: planOf(t, ", suspension: {dispatching: true}", "7"), active: before, clusters: map[string]permit.Delivered{"a": unwanted(8, seven)}},
		"the plan is empty":               {plan: planOf(t, ""), active: before, clusters: map[string]permit.Delivered{"b": unwanted(8, seven[:1])}, want: map[string]string{"b": "the plan has no object for any cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := permit.Revision(c.limits, c.plan, c.active, c.clusters)
			require.Len(t, got, len(c.want), "%v", got)
			for cluster, part := range c.want {
				require.Contains(t, got[cluster], part)
			}
		})
	}
}
