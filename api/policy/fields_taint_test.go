package policy_test

import (
	"reflect"
	"testing"

	"github.com/accord-dev/accord/api/policy"
)

// TestTaintPolicyFields is Karmada §1.7, row by row.
func TestTaintPolicyFields(t *testing.T) {
	taint := func(rest string) string { return "taints: [{" + rest + "}]" }
	const good = "taints: [{key: not-ready, effect: NoSchedule}]"
	cases := []fieldCase{
		{field: "spec.targetClusters", write: "targetClusters: {}", reads: "{}", refused: []refusal{
			{"targetCluster: {}", `unknown field "targetCluster" in spec; did you mean "targetClusters"?`},
		}},
		{field: "spec.taints", write: good, reads: `[{"effect":"NoSchedule","key":"not-ready"}]`, defaults: `[{"effect":"NoSchedule","key":"a"}]`, refused: []refusal{
			{"{targetClusters: {}, taints: []}", "spec.taints needs at least one entry"},
			{"{targetClusters: {}, taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule, value: b}]}", "spec.taints[1] is a:NoSchedule, which is a duplicate"},
		}},
		{field: "spec.taints[].key", write: taint("key: example.com/a, effect: NoSchedule"), reads: `"example.com/a"`, defaults: `"a"`, refused: []refusal{
			{taint("effect: NoSchedule"), "spec.taints[0].key is required"},
			{taint("key: a b, effect: NoSchedule"), `spec.taints[0].key is "a b": ` + notAKey},
		}},
		{field: "spec.taints[].value", write: taint("key: a, effect: NoSchedule, value: b"), reads: `"b"`, refused: []refusal{
			{taint("key: a, effect: NoSchedule, value: a b"), `spec.taints[0].value is "a b": ` + notALabel},
		}},
		{field: "spec.taints[].effect", write: good, reads: `"NoSchedule"`, defaults: `"NoSchedule"`, refused: []refusal{
			{taint("key: a"), "spec.taints[0].effect is required"},
			{taint("key: a, effect: PreferNoSchedule"), `spec.taints[0].effect is "PreferNoSchedule", expected NoSchedule or NoExecute; did you mean "NoSchedule"?`},
		}},
	}
	onLine("6", cases[:1])
	onLine("5", cases[1:])
	cases = append(cases, conditionFields("addOnConditions")...)
	cases = append(cases, conditionFields("removeOnConditions")...)
	cases = append(cases, onLine("6", affinityCases("spec.targetClusters", func(a string) string { return "targetClusters: {" + a + "}" }, true))...)
	fieldTable{
		head: "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\nmetadata: {name: web}\n",
		base: "taints: [{key: a, effect: NoSchedule}]",
		spec: reflect.TypeFor[policy.TaintPolicySpec](),
		decode: func(t *testing.T, text string) (any, error) {
			p, err := policy.DecodeTaintPolicy(object(t, text), []byte(text), origin)
			return p.Spec, err
		},
		cases: cases,
	}.run(t)
}

func conditionFields(list string) []fieldCase {
	in, at := "spec."+list, "spec."+list+"[0]"
	one := func(rest string) string { return list + ": [{" + rest + "}]" }
	good := one("conditionType: Ready, operator: NotIn, statusValues: ['True', Unknown]")
	return onLine("6", []fieldCase{
		{field: in, write: good, reads: `[{"conditionType":"Ready","operator":"NotIn","statusValues":["True","Unknown"]}]`},
		{field: in + "[].conditionType", write: good, reads: `"Ready"`, refused: []refusal{
			{one("operator: In, statusValues: []"), at + ".conditionType is required"},
			{one("type: Ready, conditionType: Ready, operator: In, statusValues: []"), `unknown field "type" in ` + at + `; did you mean "conditionType"?`},
		}},
		{field: in + "[].operator", write: good, reads: `"NotIn"`, refused: []refusal{
			{one("conditionType: Ready, statusValues: []"), at + ".operator is required"},
			{one("conditionType: Ready, operator: Equal, statusValues: []"), at + `.operator is "Equal", expected In or NotIn`},
		}},
		{field: in + "[].statusValues", write: one("conditionType: Ready, operator: In, statusValues: []"), reads: `[]`, refused: []refusal{
			{one("conditionType: Ready, operator: In"), at + ".statusValues is required"},
			{one("conditionType: Ready, operator: In, statusValues: [true]"), at + ".statusValues[0] is true, expected a string; write it in quotes"},
			{one("conditionType: Ready, operator: In, statusValues: ['true']"), at + `.statusValues[0] is "true", expected True, False or Unknown; did you mean "True"?`},
		}},
	})
}

// TestRebalancerFields is WorkloadRebalancer of Karmada §4.11, row by row.
func TestRebalancerFields(t *testing.T) {
	one := func(rest string) string { return "workloads: [{" + rest + "}]" }
	const good = "workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]"
	const at = "spec.workloads[0]"
	fieldTable{
		head: "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: web}\n",
		base: "workloads: [{apiVersion: v1, kind: Pod, name: a}]",
		spec: reflect.TypeFor[policy.RebalancerSpec](),
		decode: func(t *testing.T, text string) (any, error) {
			r, err := policy.DecodeRebalancer(object(t, text), []byte(text), origin)
			return r.Spec, err
		},
		cases: onLine("5", []fieldCase{
			{field: "spec.workloads", write: good, reads: `[{"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"web"}]`,
				defaults: `[{"apiVersion":"v1","kind":"Pod","name":"a"}]`,
				refused: []refusal{
					{"workloads: []", "spec.workloads needs at least one entry"},
					{"workloads: web", `spec.workloads is the string "web", expected a list; did you mean [web]?`},
				}},
			{field: "spec.workloads[].apiVersion", write: good, reads: `"apps/v1"`, defaults: `"v1"`, refused: []refusal{
				{one("kind: Pod, name: a"), at + ".apiVersion is required"},
				{one("apiVersion: a/b/c, kind: Pod, name: a"), at + `.apiVersion is "a/b/c", expected "<group>/<version>" or "v1"`},
			}},
			{field: "spec.workloads[].kind", write: good, reads: `"Deployment"`, defaults: `"Pod"`, refused: []refusal{
				{one("apiVersion: v1, name: a"), at + ".kind is required"},
			}},
			{field: "spec.workloads[].namespace", write: good, reads: `"shop"`, refused: []refusal{
				{one("apiVersion: v1, kind: Pod, nnamespace: shop, name: a"), `unknown field "nnamespace" in ` + at + `; did you mean "namespace"?`},
			}},
			{field: "spec.workloads[].name", write: good, reads: `"web"`, defaults: `"a"`, refused: []refusal{
				{one("apiVersion: v1, kind: Pod"), at + ".name is required"},
			}},
			{field: "spec.ttlSecondsAfterFinished", write: "ttlSecondsAfterFinished: 60", reads: "60", refused: []refusal{
				{"workloads: [{apiVersion: v1, kind: Pod, name: a, ttlSecondsAfterFinished: 60}]", `unknown field "ttlSecondsAfterFinished" in ` + at + `; did you mean "spec.ttlSecondsAfterFinished"?`},
			}},
		}),
	}.run(t)
}
