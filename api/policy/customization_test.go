package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

const customized = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: rollout
`

func decodeCustomization(t testing.TB, text string) (policy.Customization, error) {
	return policy.DecodeCustomization(object(t, text), []byte(text), origin)
}

func TestDecodeCustomization(t *testing.T) {
	text := customized + `spec:
  target: {apiVersion: argoproj.io/v1alpha1, kind: Rollout}
  customizations:
    retention: {luaScript: "function Retain(a, b) return a end"}
    replicaResource:
      luaScript: |-  # counted
        function GetReplicas(obj)
          return obj.spec.replicas
        end
    componentResource: {luaScript: "function GetComponents(a) end"}
    replicaRevision: {luaScript: "function ReviseReplica(a, n) return a end"}
    statusReflection: {luaScript: "function ReflectStatus(a) return a.status end"}
    statusAggregation: {luaScript: "function AggregateStatus(a, b) return a end"}
    healthInterpretation:
      luaScript: >
        function InterpretHealth(a)
        return true end
    dependencyInterpretation: {luaScript: "function GetDependencies(a) return {} end"}
`
	c, err := decodeCustomization(t, text)
	require.NoError(t, err)
	require.Equal(t, "ResourceInterpreterCustomization rollout", c.Title())
	require.Equal(t, policy.CustomizationTarget{APIVersion: "argoproj.io/v1alpha1", Kind: "Rollout"}, c.Spec.Target)
	for _, op := range policy.Operations() {
		require.Contains(t, c.Script(op), "function "+op.Function()+"(", op)
	}
	require.Equal(t, "p.yaml:11", c.ScriptAt(policy.ReplicaResource, 1).String())
	require.Equal(t, "p.yaml:13", c.ScriptAt(policy.ReplicaResource, 3).String())
	require.Equal(t, "p.yaml:10", c.ScriptAt(policy.ReplicaResource, 4).String(), "there is no fourth line")
	require.Equal(t, "p.yaml:8", c.ScriptAt(policy.Retention, 1).String(), "not a block")
	require.Equal(t, "p.yaml:19", c.ScriptAt(policy.HealthInterpretation, 2).String(), "folded: lines are not lines of the file")
	require.Empty(t, policy.Operation("none").Function())
	require.Empty(t, c.Script("none"))
}

// TestCustomizationMistakes has a row for every mistake, at its line.
func TestCustomizationMistakes(t *testing.T) {
	const target = "spec:\n  target: {apiVersion: a.io/v1, kind: A}\n"
	const health = target + "  customizations:\n    healthInterpretation:\n      luaScript: |\n"
	for _, c := range []struct{ name, text, want string }{
		{"no spec", "", "p.yaml:1: spec is required\np.yaml:1: spec.target.apiVersion is required\np.yaml:1: spec.target.kind is required\n" +
			"p.yaml:1: spec.customizations needs at least one script"},
		{"no target", "spec: {customizations: {retention: {luaScript: 'x = 1'}}}",
			"p.yaml:5: spec.target.apiVersion is required\np.yaml:5: spec.target.kind is required"},
		{"no version", "spec: {target: {apiVersion: a/b/c, kind: A}, customizations: {retention: {luaScript: 'x = 1'}}}",
			`p.yaml:5: spec.target.apiVersion is "a/b/c", expected "<group>/<version>" or "v1"`},
		{"no script", target, "p.yaml:5: spec.customizations needs at least one script"},
		{"an empty script", target + "  customizations:\n    retention: {}",
			"p.yaml:8: spec.customizations.retention.luaScript is required"},
		{"an unknown operation", target + "  customizations: {healthInterpretations: {luaScript: x}, retention: {luaScript: 'x = 1'}}",
			`p.yaml:7: unknown field "healthInterpretations" in spec.customizations; did you mean "healthInterpretation"?`},
		{"not Lua", health + "        function InterpretHealth(obj)\n          retrun true\n        end\n",
			"p.yaml:11: spec.customizations.healthInterpretation.luaScript does not compile: parse error near true"},
		{"a character that is none", health + "        x = 1\n        x = !\n",
			"p.yaml:11: spec.customizations.healthInterpretation.luaScript does not compile: Invalid token near !"},
		{"an end is missing", health + "        function InterpretHealth(obj)\n          return true\n",
			"p.yaml:11: spec.customizations.healthInterpretation.luaScript does not compile: syntax error at its end"},
		{"a break in no loop", health + "        x = 1\n        break\n",
			"p.yaml:11: spec.customizations.healthInterpretation.luaScript does not compile: no loop to break"},
		{"not Lua, in one line", target + "  customizations:\n    retention:\n      luaScript: \"x = 1\\nx = = 1\"",
			"p.yaml:9: spec.customizations.retention.luaScript does not compile: syntax error near ="},
		{"too long", target + "  customizations:\n    retention:\n      luaScript: '" + strings.Repeat("x=1 ", 20_000) + "'",
			"p.yaml:9: spec.customizations.retention.luaScript has 80000 bytes, and a script may have 65536"},
		{"another kind", "spec: {}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				_, err := decodeCustomization(t, strings.Replace(customized, "kind: Resource", "kind: Re", 1)+c.text)
				require.ErrorContains(t, err, `kind is "ReInterpreterCustomization", expected ResourceInterpreterCustomization`)
				return
			}
			_, err := decodeCustomization(t, customized+c.text)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestCustomizationWithoutText(t *testing.T) {
	u := object(t, customized+"spec: {target: {apiVersion: v1, kind: A}, customizations: {retention: {luaScript: 'x = = 1'}}}")
	_, err := policy.DecodeCustomization(u, nil, manifest.Origin{Path: "k/kustomization.yaml"})
	require.EqualError(t, err, "k/kustomization.yaml: spec.customizations.retention.luaScript does not compile: syntax error near =")
}

func FuzzDecodeCustomization(f *testing.F) {
	f.Add(customized + "spec:\n  target: {apiVersion: v1, kind: A}\n  customizations:\n    retention:\n      luaScript: |\n        x = = 1\n")
	f.Add(customized + "spec: {target: {apiVersion: a.io/v1, kind: A}, customizations: {retention: {luaScript: \"goto a\\n::a:: ::a::\"}}}")
	f.Add(customized + "spec: {target: {apiVersion: a.io/v1, kind: A}, customizations: {retention: {luaScript: 'x = [[' }, replicaResource: 1}}")
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		c, err := policy.DecodeCustomization(u, text, origin)
		return c.Meta, c.Spec, err
	})
}
