package fleet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
)

func TestMatches(t *testing.T) {
	full := Cluster{
		Name: "a", Provider: "aws", Region: "us", Zones: []string{"us-1", "us-2"},
		Labels: map[string]string{"tier": "prod", "region": "us"},
	}
	bare := Cluster{Name: "b"}
	for _, c := range []struct {
		name, affinity string
		cluster        Cluster
		why, field     string // why empty = matches
	}{
		{"empty affinity", `{}`, bare, "", ""},
		{"named", `{clusterNames: [x, a]}`, full, "", ""},
		{"not named", `{clusterNames: [x, z]}`, full, "not in clusterNames [x, z]", "clusterNames"},
		{"excluded", `{exclude: [a]}`, full, "is in exclude", "exclude"},
		{"excluded although named", `{exclude: [a], clusterNames: [a]}`, full, "is in exclude", "exclude"},
		{"all parts agree", `{clusterNames: [a], labelSelector: {matchLabels: {tier: prod}}, fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [us-2]}]}}`, full, "", ""},

		{"labels match", `{labelSelector: {matchLabels: {tier: prod, region: us}}}`, full, "", ""},
		{"empty label selector", `{labelSelector: {}}`, bare, "", ""},
		{"label differs", `{labelSelector: {matchLabels: {region: eu, tier: prod}}}`, full, "label region=us does not match region=eu", "labelSelector.matchLabels"},
		{"label missing", `{labelSelector: {matchLabels: {region: eu}}}`, bare, "has no label region, which does not match region=eu", "labelSelector.matchLabels"},
		{"label in other list", `{labelSelector: {matchExpressions: [{key: tier, operator: Exists}, {key: region, operator: In, values: [eu, ap]}]}}`, full, "label region=us does not match region in (ap,eu)", "labelSelector.matchExpressions[1]"},
		{"label notin and missing", `{labelSelector: {matchExpressions: [{key: region, operator: NotIn, values: [eu]}]}}`, bare, "", ""},
		{"label must not exist", `{labelSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}}`, full, "label tier=prod does not match !tier", "labelSelector.matchExpressions[0]"},
		{"label must exist", `{labelSelector: {matchExpressions: [{key: tier, operator: Exists}]}}`, bare, "has no label tier, which does not match tier", "labelSelector.matchExpressions[0]"},
		{"unknown label operator", `{labelSelector: {matchExpressions: [{key: tier, operator: Like}]}}`, full, `labelSelector has operator "Like", expected In, NotIn, Exists or DoesNotExist`, "labelSelector.matchExpressions[0]"},
		{"invalid label selector", `{labelSelector: {matchExpressions: [{key: tier, operator: In}]}}`, full, "invalid selector: values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty", "labelSelector.matchExpressions[0]"},

		{"provider in", `{fieldSelector: {matchExpressions: [{key: provider, operator: In, values: [aws]}]}}`, full, "", ""},
		{"provider in, none set", `{fieldSelector: {matchExpressions: [{key: provider, operator: In, values: [aws]}]}}`, bare, "has no provider, which does not match provider in (aws)", "fieldSelector.matchExpressions[0]"},
		{"provider notin, none set", `{fieldSelector: {matchExpressions: [{key: provider, operator: NotIn, values: [aws]}]}}`, bare, "", ""},
		{"region notin", `{fieldSelector: {matchExpressions: [{key: region, operator: NotIn, values: [us]}]}}`, full, "region=us does not match region notin (us)", "fieldSelector.matchExpressions[0]"},
		{"any zone in", `{fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [us-2, eu-1]}]}}`, full, "", ""},
		{"no zone in", `{fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [eu-1]}]}}`, full, "zone us-1,us-2 does not match zone in (eu-1)", "fieldSelector.matchExpressions[0]"},
		{"one zone notin", `{fieldSelector: {matchExpressions: [{key: zone, operator: NotIn, values: [us-2]}]}}`, full, "zone us-1,us-2 does not match zone notin (us-2)", "fieldSelector.matchExpressions[0]"},
		{"zone in, no zones", `{fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [us-2]}]}}`, bare, "has no zone, which does not match zone in (us-2)", "fieldSelector.matchExpressions[0]"},
		{"zone notin, no zones", `{fieldSelector: {matchExpressions: [{key: zone, operator: NotIn, values: [us-2]}]}}`, bare, "", ""},
		{"zone exists", `{fieldSelector: {matchExpressions: [{key: zone, operator: Exists}]}}`, full, "", ""},
		{"zone must not exist", `{fieldSelector: {matchExpressions: [{key: zone, operator: DoesNotExist}]}}`, full, "zone us-1,us-2 does not match !zone", "fieldSelector.matchExpressions[0]"},
		{"unknown field operator", `{fieldSelector: {matchExpressions: [{key: region, operator: Gt, values: ["1"]}]}}`, full, `fieldSelector has operator "Gt", expected In or NotIn`, "fieldSelector.matchExpressions[0]"},
	} {
		t.Run("Karmada §2.3/"+c.name, func(t *testing.T) {
			var a policy.ClusterAffinity
			require.NoError(t, yaml.UnmarshalStrict([]byte(c.affinity), &a))
			ok, why, field := c.cluster.Matches(a)
			require.Equal(t, c.why, why)
			require.Equal(t, c.field, field)
			require.Equal(t, c.why == "", ok)
		})
	}
}
