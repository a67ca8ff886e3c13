package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
)

func TestDeprecatedFieldsOfPolicies(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       []policy.Deprecation
	}{
		{"nothing old", "failover: {cluster: {purgeMode: Directly}}", nil},
		{"association, as if it worked", "association: true", []policy.Deprecation{{
			Field: "spec.association", Message: "spec.association is never read; propagateDeps is what takes dependencies along", Instead: "propagateDeps: true\n",
		}}},
		{"association, off", "association: false", []policy.Deprecation{{Field: "spec.association", Message: "spec.association is never read"}}},
		{"old purge modes", "propagateDeps: true\nfailover: {application: {decisionConditions: {}, purgeMode: Graciously}, cluster: {purgeMode: Immediately}}", []policy.Deprecation{
			{
				Field:   "spec.failover.application.purgeMode",
				Message: "spec.failover.application.purgeMode: Graciously is the old name of Gracefully; Karmada 1.19 refuses it",
				Instead: "purgeMode: Gracefully\n",
			}, {
				Field:   "spec.failover.cluster.purgeMode",
				Message: "spec.failover.cluster.purgeMode: Immediately is the old name of Directly; Karmada 1.19 refuses it",
				Instead: "purgeMode: Directly\n",
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := decode(t, propagation("PropagationPolicy", c.spec))
			require.NoError(t, err)
			require.Equal(t, c.want, p.Deprecated)
		})
	}
}

func TestOldPurgeModesMeanTheNewOnes(t *testing.T) {
	p, err := decode(t, propagation("PropagationPolicy", "propagateDeps: true\nfailover: {application: {decisionConditions: {}, purgeMode: Graciously}, cluster: {purgeMode: Immediately}}"))
	require.NoError(t, err)
	require.Equal(t, policy.Gracefully, p.Spec.Failover.Application.PurgeMode)
	require.Equal(t, int32(600), *p.Spec.Failover.Application.GracePeriodSeconds)
	require.Equal(t, policy.Directly, p.Spec.Failover.Cluster.PurgeMode)
}

// TestSingleRuleIsShownAsRules: what is offered instead is read as the same rules, and is not deprecated.
func TestSingleRuleIsShownAsRules(t *testing.T) {
	for _, c := range []struct{ name, spec, message, instead string }{
		{
			"both", "targetCluster: {clusterNames: [a]}\noverriders:\n  plaintext:\n  - {path: /spec/replicas, operator: replace, value: 3}\n  - {path: /a, operator: add, value: 'yes'}\n",
			"spec.targetCluster and spec.overriders in place of overrideRules is the old form of a single rule",
			`overrideRules:
- targetCluster:
    clusterNames:
    - a
  overriders:
    plaintext:
    - operator: replace
      path: /spec/replicas
      value: 3
    - operator: add
      path: /a
      value: "yes"
`,
		}, {
			"overriders only", "overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}",
			"spec.overriders in place of overrideRules is the old form of a single rule",
			"overrideRules:\n- overriders:\n    labelsOverrider:\n    - operator: add\n      value:\n        a: b\n",
		}, {
			"target only", "targetCluster: {}", "spec.targetCluster in place of overrideRules is the old form of a single rule",
			"overrideRules:\n- targetCluster: {}\n  overriders: {}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := decodeOverride(t, c.spec)
			require.Len(t, old.Deprecated, 1)
			require.Equal(t, c.message, old.Deprecated[0].Message)
			require.Equal(t, c.instead, old.Deprecated[0].Instead)
			require.Equal(t, 5, old.At(old.Deprecated[0].Field).Line)
			now := decodeOverride(t, old.Deprecated[0].Instead)
			require.Empty(t, now.Deprecated)
			require.Equal(t, old.Spec, now.Spec)
		})
	}
}

// TestEmptyOverridersAreNone: Karmada's own clients write them beside the rules, and beside nothing.
func TestEmptyOverridersAreNone(t *testing.T) {
	for _, spec := range []string{"overriders: {}\noverrideRules: [{overriders: {}}]\n", "overriders: {}\n"} {
		o := decodeOverride(t, spec)
		require.Empty(t, o.Deprecated, spec)
		require.Nil(t, o.Spec.Overriders, spec)
	}
}

func TestLongValuesAreNotRepeated(t *testing.T) {
	const around = "targetCluster: {}\noverriders: {plaintext: [{path: /data/a, operator: add, value: "
	o := decodeOverride(t, around+strings.Repeat("x", 201)+"}]}\n")
	require.Contains(t, o.Deprecated[0].Instead, "value: <as it is, 201 characters>\n")

	o = decodeOverride(t, around+"["+strings.Repeat("0123456789, ", 1000)+"]}]}\n")
	require.Equal(t, "overrideRules:\n- targetCluster: <as it is>\n  overriders: <as it is>\n", o.Deprecated[0].Instead)
}

func decodeOverride(t *testing.T, spec string) *policy.Override {
	t.Helper()
	text := overriding("ClusterOverridePolicy", spec)
	o, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
	require.NoError(t, err)
	return o
}
