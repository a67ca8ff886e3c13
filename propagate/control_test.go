package propagate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/status/interpret"
)

// controlled is an input with one control manifest of each kind.
const controlled = `
-- clusters.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {proxyURL: "https://me:pass@proxy", proxyHeader: {key: value}}}
-- rollout.yaml --
apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: standard}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  stages: [{name: world, gate: {approval: Manual}}]
-- recovery.yaml --
{apiVersion: accord.dev/v1alpha1, kind: RecoveryPlan, metadata: {name: shop}, spec: {source: production, standby: a}}
-- taints.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterTaintPolicy
metadata: {name: not-ready}
spec:
  addOnConditions: [{conditionType: Ready, operator: In, statusValues: ["False"]}]
  taints: [{key: not-ready, effect: NoSchedule}]
-- script.yaml --
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: maps}
spec:
  target: {apiVersion: v1, kind: ConfigMap}
  customizations: {retention: {luaScript: "function Retain(desired, observed) return desired end"}}
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  suspension: {dispatching: true}
`

func controlOf(t *testing.T, text string) *propagate.Plan {
	t.Helper()
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	in.Health = []interpret.HealthExprs{{APIVersion: "v1", Kind: "ConfigMap", Current: "true"}}
	p, err := propagate.New(in)
	require.NoError(t, err)
	return p
}

// A commit that changes a control manifest and no object has another plan digest: nobody approves it by reading the objects.
func TestHostileControlManifestChangesTheDigest(t *testing.T) {
	before := controlOf(t, controlled)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", before.Control())
	for name, change := range map[string][2]string{
		"a cluster is held":                   {"spec: {proxy", "spec: {hold: {reason: x}, proxy"},
		"a cluster is labelled":               {"{name: a}", "{name: a, labels: {team: web}}"},
		"a cluster has another endpoint":      {"spec: {proxy", "spec: {apiEndpoint: https://attacker, proxy"},
		"the password of a proxy":             {"me:pass", "me:other"},
		"the header of a proxy":               {"key: value", "key: other"},
		"a cluster leaves":                    {"kind: Cluster, metadata: {name: a}, spec: {proxyURL: \"https://me:pass@proxy\", proxyHeader: {key: value}}", "kind: Cluster, metadata: {name: b}"},
		"a gate is taken out":                 {", gate: {approval: Manual}", ""},
		"a rollout is approved":               {"{name: standard}", "{name: standard, annotations: {rollout.accord.dev/approve: \"sha256:" + strings.Repeat("a", 64) + "@world\"}}"},
		"a standby becomes active":            {"standby: a}", "standby: a, active: Standby, revision: \"cluster@sha256:" + strings.Repeat("a", 64) + "\"}"},
		"a taint has another effect":          {"effect: NoSchedule", "effect: NoExecute"},
		"a script retains other values":       {"return desired end", "desired.data = {} return desired end"},
		"a suspension ends on other clusters": {"{dispatching: true}", "{dispatchingOnClusters: {clusterNames: [a]}}"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(controlled, change[0], change[1], 1)
			require.NotEqual(t, controlled, text)
			after := controlOf(t, text)
			require.NotEqual(t, before.Control(), after.Control())
			require.NotEqual(t, before.Digest(), after.Digest())
		})
	}
	t.Run("a health expression", func(t *testing.T) {
		in, err := dump.Read([]byte(controlled))
		require.NoError(t, err)
		in.Health = []interpret.HealthExprs{{APIVersion: "v1", Kind: "ConfigMap", Current: "false"}}
		after, err := propagate.New(in)
		require.NoError(t, err)
		require.NotEqual(t, before.Digest(), after.Digest())
	})
}

func TestControlDigestIgnoresPlacesAndComments(t *testing.T) {
	before := controlOf(t, controlled)
	for name, change := range map[string][2]string{
		"a file has another name": {"-- taints.yaml --", "-- zz/other.yaml --"},
		"a comment":               {"kind: RolloutPolicy", "# why\nkind: RolloutPolicy"},
		"fields in another order": {"{key: not-ready, effect: NoSchedule}", "{effect: NoSchedule, key: not-ready}"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(controlled, change[0], change[1], 1)
			require.NotEqual(t, controlled, text)
			require.Equal(t, before.Digest(), controlOf(t, text).Digest())
		})
	}
}

func TestControlHidesTheCredentialsOfProxies(t *testing.T) {
	in, err := dump.Read([]byte(controlled))
	require.NoError(t, err)
	c := in.Declared.Clusters[0].Spec
	require.NotContains(t, c.ProxyURL, "pass@")
	require.NotContains(t, c.ProxyHeader["key"], "value")
	require.Equal(t, "sha256:", control.Digest(in.Control())[:7])
	require.Empty(t, control.Digest(nil))
}
