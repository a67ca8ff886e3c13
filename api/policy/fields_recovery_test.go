package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/accord-dev/accord/api/policy"
)

// TestRecoveryFields has a row for every field of a RecoveryPlan.
func TestRecoveryFields(t *testing.T) {
	const base = "source: production"
	rest := func(text string) string { return "standby: b\n" + base + "\n" + text }
	override := func(text string) string { return rest("passiveOverrides: [" + text + "]") }
	revision := "cluster@sha256:" + strings.Repeat("a", 64)
	fieldTable{
		head: "apiVersion: accord.dev/v1alpha1\nkind: RecoveryPlan\nmetadata: {name: shop}\n",
		base: base,
		spec: reflect.TypeFor[policy.RecoverySpec](),
		decode: func(t *testing.T, text string) (any, error) {
			r, err := policy.DecodeRecovery(object(t, text), []byte(text), origin)
			return r.Spec, err
		},
		cases: onLine("7", []fieldCase{
			{field: "spec.source", write: rest(""), reads: `"production"`, without: rest(""), defaults: `"production"`, refused: []refusal{
				{"standby: b\nactive: Production\nsource: ''", "spec.source is required"},
			}},
			{field: "spec.standby", write: "standby: c", reads: `"c"`, without: "standby: b", defaults: `"b"`, refused: []refusal{
				{"active: Production\nstandby: ''", "spec.standby is required"},
			}},
			{field: "spec.active", write: rest("active: Standby\nrevision: " + revision), reads: `"Standby"`, without: rest(""), defaults: `"Production"`, refused: []refusal{
				{"standby: b\nactive: standby", `spec.active is "standby", expected Production or Standby; did you mean "Standby"?`},
				{"standby: b\nactive: Standby", "spec.active is Standby, which needs spec.revision: the objects of production that the standby runs; accord dr switch writes both"},
			}},
			{field: "spec.revision", write: rest("active: Standby\nrevision: " + revision), reads: `"` + revision + `"`, without: rest(""), refused: []refusal{
				{"standby: b\nrevision: main", `spec.revision is "main", expected cluster@sha256: and 64 hexadecimal digits`},
				{"standby: b\nrevision: " + revision, "spec.revision is for spec.active: Standby; remove it, because the standby follows production"},
			}},
			{field: "spec.passiveOverrides", write: override("{kind: ClusterOverridePolicy, name: zero}"), reads: `[{"kind":"ClusterOverridePolicy","name":"zero"}]`, without: rest(""), refused: []refusal{
				{"standby: b\npassiveOverrides: [{kind: OverridePolicy, name: a}, {kind: OverridePolicy, namespace: default, name: a}]", "spec.passiveOverrides[1] is OverridePolicy default/a, which is a duplicate"},
			}},
			{field: "spec.passiveOverrides[].kind", write: override("{kind: OverridePolicy, name: zero}"), reads: `"OverridePolicy"`, without: rest(""), refused: []refusal{
				{"standby: b\npassiveOverrides: [{name: a}]", "spec.passiveOverrides[0].kind is required"},
				{"standby: b\npassiveOverrides: [{kind: Override, name: a}]", `spec.passiveOverrides[0].kind is "Override", expected OverridePolicy or ClusterOverridePolicy`},
			}},
			{field: "spec.passiveOverrides[].namespace", write: override("{kind: OverridePolicy, namespace: shop, name: zero}"), reads: `"shop"`, without: override("{kind: OverridePolicy, name: zero}"), defaults: `"default"`, refused: []refusal{
				{"standby: b\npassiveOverrides: [{kind: ClusterOverridePolicy, namespace: shop, name: a}]", `spec.passiveOverrides[0].namespace is "shop", but a ClusterOverridePolicy has none`},
			}},
			{field: "spec.passiveOverrides[].name", write: override("{kind: OverridePolicy, name: zero}"), reads: `"zero"`, without: rest(""), refused: []refusal{
				{"standby: b\npassiveOverrides: [{kind: OverridePolicy}]", "spec.passiveOverrides[0].name is required"},
			}},
		}),
	}.run(t)
}
