package policy_test

import "strings"

// placementFields are the first half of Karmada §1.3: which clusters.
func placementFields() []fieldCase {
	in := func(rest string) string { return "placement: {" + rest + "}" }
	term := func(rest string) string { return in("clusterAffinities: [{" + rest + "}]") }
	const terms = "spec.placement.clusterAffinities[]"
	cases := []fieldCase{
		{field: "spec.placement.clusterAffinity", write: in("clusterAffinity: {}"), reads: "{}", refused: []refusal{
			{in("clusterAffinity: {}, clusterAffinities: [{affinityName: a}]"), "spec.placement has clusterAffinity and clusterAffinities, expected one of them"},
			{in("clusterNames: [a]"), `unknown field "clusterNames" in spec.placement; did you mean "clusterAffinity.clusterNames"?`},
		}},
		{field: "spec.placement.clusterAffinities", write: term("affinityName: a"), reads: `[{"affinityName":"a"}]`, refused: []refusal{
			{in("clusterAffinities: {affinityName: a}"), "spec.placement.clusterAffinities is an object, expected a list"},
		}},
		{field: terms + ".affinityName", write: term("affinityName: a"), reads: `"a"`, refused: []refusal{
			{term("clusterNames: [a]"), "spec.placement.clusterAffinities[0].affinityName is required"},
			{term("affinityName: " + strings.Repeat("a", 33)), "spec.placement.clusterAffinities[0].affinityName has 33 characters, expected at most 32"},
			{term("affinityName: a b"), `spec.placement.clusterAffinities[0].affinityName is "a b": ` + notAKey},
			{in("clusterAffinities: [{affinityName: a}, {affinityName: a}]"), `spec.placement.clusterAffinities[1].affinityName is "a", which is a duplicate`},
		}},
		{field: "spec.placement.clusterTolerations", write: in("clusterTolerations: [{key: a, operator: Exists, effect: NoSchedule}]"),
			reads: `[{"key":"a","operator":"Exists","effect":"NoSchedule"}]`,
			refused: []refusal{
				{in("clusterTolerations: [{key: a, operator: Lt}]"), `spec.placement.clusterTolerations[0].operator is "Lt", expected Equal or Exists`},
				{in("clusterTolerations: [{keys: a}]"), `unknown field "keys" in spec.placement.clusterTolerations[0]; did you mean "key"?`},
				{in("tolerations: [{key: a}]"), `unknown field "tolerations" in spec.placement; did you mean "clusterTolerations"?`},
			}},
		{field: "spec.placement.workloadAffinity", write: in("workloadAffinity: {}"), reads: "{}"},
	}
	cases = append(cases, affinityCases("spec.placement.clusterAffinity", func(a string) string { return in("clusterAffinity: {" + a + "}") }, true)...)
	cases = append(cases, affinityCases(terms, func(a string) string { return term("affinityName: a, " + a) }, true)...)
	cases = append(cases, overflowFields()...)
	cases = append(cases, spreadFields()...)
	return append(cases, togetherFields()...)
}

func overflowFields() []fieldCase {
	const dynamic = "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}"
	const in = "spec.placement.clusterAffinities[].overflowAffinities"
	const at = "spec.placement.clusterAffinities[0].overflowAffinities"
	overflow := func(primary, tiers, scheduling string) string {
		return "placement: {clusterAffinities: [{affinityName: a, " + primary + "overflowAffinities: " + tiers + "}], " + scheduling + "}"
	}
	tier := func(rest string) string { return overflow("clusterNames: [x], ", "[{"+rest+"}]", dynamic) }
	cases := []fieldCase{
		{field: in, write: tier("affinityName: b"), reads: `[{"affinityName":"b"}]`, refused: []refusal{
			{overflow("clusterNames: [x], ", "[{affinityName: b}]", "clusterTolerations: []"), at + " needs replicaScheduling Divided with Aggregated or dynamicWeight"},
			{
				overflow("clusterNames: [x], ", "[{affinityName: b}]", "replicaScheduling: {weightPreference: {staticWeightList: []}}"),
				at + " needs replicaScheduling Divided with Aggregated or dynamicWeight",
			},
			{overflow("", "[{affinityName: b}]", dynamic), at + " needs a primary affinity in spec.placement.clusterAffinities[0] that is not empty"},
		}},
		{
			field: in + "[].affinityName", reads: `"b"`,
			write: overflow("exclude: [x], ", "[{affinityName: b}]", "replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}"),
			refused: []refusal{
				{tier("clusterNames: [a]"), at + "[0].affinityName is required"},
				{tier("affinityName: a"), at + `[0].affinityName is "a", which is a duplicate`},
				{tier("affinityName: b}, {affinityName: b"), at + `[1].affinityName is "b", which is a duplicate`},
			},
		},
	}
	return append(cases, affinityCases(in+"[]", func(a string) string { return tier("affinityName: b, " + a) }, true)...)
}

func spreadFields() []fieldCase {
	spread := func(rest string) string { return "placement: {spreadConstraints: [" + rest + "]}" }
	const in, at = "spec.placement.spreadConstraints", "spec.placement.spreadConstraints[0]"
	return []fieldCase{
		{
			field: in, write: spread("{}"), reads: `[{"spreadByField":"cluster","minGroups":1}]`,
			refused: []refusal{{spread("{spreadByField: region}"), in + " needs an entry with spreadByField: cluster"}},
		},
		{field: in + "[].spreadByField", write: spread("{spreadByField: zone}, {}"), reads: `"zone"`, without: spread("{}"), defaults: `"cluster"`, refused: []refusal{
			{spread("{spreadByField: zones}"), at + `.spreadByField is "zones", expected cluster, region, zone or provider; did you mean "zone"?`},
			{spread("{spreadByField: cluster, spreadByLabel: rack}"), at + " has spreadByField and spreadByLabel, expected one of them"},
			{spread("{}, {spreadByField: cluster}"), in + `[1].spreadByField is "cluster", which is a duplicate`},
		}},
		{field: in + "[].spreadByLabel", write: spread("{spreadByLabel: rack}"), reads: `"rack"`, without: spread("{}")},
		{field: in + "[].minGroups", write: spread("{minGroups: 2}"), reads: "2", without: spread("{minGroups: 0}"), defaults: "1", refused: []refusal{
			{spread("{minGroups: -1}"), at + ".minGroups is -1, expected 0 or more"},
			{spread("{minGroup: 1}"), `unknown field "minGroup" in ` + at + `; did you mean "minGroups"?`},
		}},
		{field: in + "[].maxGroups", write: spread("{maxGroups: 2}"), reads: "2", without: spread("{}"), refused: []refusal{
			{spread("{minGroups: 3, maxGroups: 2}"), at + ".maxGroups is 2, expected at least minGroups (3)"},
			{spread("{maxGroups: -1}"), at + ".maxGroups is -1, expected at least minGroups (1)"},
		}},
	}
}

func togetherFields() []fieldCase {
	with := func(rest string) string { return "placement: {workloadAffinity: {" + rest + "}}" }
	const in = "spec.placement.workloadAffinity"
	return []fieldCase{
		{field: in + ".affinity", write: with("affinity: {groupByLabelKey: app}"), reads: `{"groupByLabelKey":"app"}`},
		{field: in + ".affinity.groupByLabelKey", write: with("affinity: {groupByLabelKey: example.com/app}"), reads: `"example.com/app"`, refused: []refusal{
			{with("affinity: {}"), in + ".affinity.groupByLabelKey is required"},
			{with("affinity: {groupByLabelKey: a b}"), in + `.affinity.groupByLabelKey is "a b": ` + notAKey},
			{with("affinity: {groupByLabel: a, groupByLabelKey: a}"), `unknown field "groupByLabel" in ` + in + `.affinity; did you mean "groupByLabelKey"?`},
		}},
		{field: in + ".antiAffinity", write: with("antiAffinity: {groupByLabelKey: app}"), reads: `{"groupByLabelKey":"app"}`},
		{field: in + ".antiAffinity.groupByLabelKey", write: with("affinity: {groupByLabelKey: a}, antiAffinity: {groupByLabelKey: b}"), reads: `"b"`, refused: []refusal{
			{with("antiAffinity: {}"), in + ".antiAffinity.groupByLabelKey is required"},
			{with("affinity: {groupByLabelKey: a}, antiAffinity: {groupByLabelKey: a}"), in + `.antiAffinity.groupByLabelKey is "a", which is the key of affinity`},
		}},
	}
}

// replicaFields are the second half of Karmada §1.3: how many.
func replicaFields() []fieldCase {
	replicas := func(rest string) string { return "placement: {replicaScheduling: {" + rest + "}}" }
	weights := func(rest string) string { return replicas("weightPreference: {" + rest + "}") }
	weight := func(rest string) string { return weights("staticWeightList: [{" + rest + "}]") }
	const in = "spec.placement.replicaScheduling"
	const list, entry = in + ".weightPreference.staticWeightList", in + ".weightPreference.staticWeightList[0]"
	cases := []fieldCase{
		{field: in, write: replicas(""), reads: `{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted"}`, refused: []refusal{
			{"placement: {replicaSchedule: {}}", `unknown field "replicaSchedule" in spec.placement; did you mean "replicaScheduling"?`},
		}},
		{
			field: in + ".replicaSchedulingType", write: replicas("replicaSchedulingType: Duplicated"), reads: `"Duplicated"`, without: replicas(""), defaults: `"Divided"`,
			refused: []refusal{
				{replicas("replicaSchedulingType: Duplicate"), in + `.replicaSchedulingType is "Duplicate", expected Duplicated or Divided; did you mean "Duplicated"?`},
				{"placement: {replicaSchedulingType: Divided}", `unknown field "replicaSchedulingType" in spec.placement; did you mean "replicaScheduling.replicaSchedulingType"?`},
			},
		},
		{
			field: in + ".replicaDivisionPreference", write: replicas("replicaDivisionPreference: Aggregated"), reads: `"Aggregated"`,
			without: replicas(""), defaults: `"Weighted"`, // B37: the loader sets it, Divided without one is an error in Karmada's scheduler
			refused: []refusal{{replicas("replicaDivisionPreference: Weight"), in + `.replicaDivisionPreference is "Weight", expected Aggregated or Weighted; did you mean "Weighted"?`}},
		},
		{field: in + ".weightPreference", write: weights(""), reads: "{}", without: replicas("")},
		{
			field: list, write: weight("targetCluster: {clusterNames: [a]}, weight: 2"), reads: `[{"targetCluster":{"clusterNames":["a"]},"weight":2}]`,
			refused: []refusal{
				{weights("staticClusterWeight: []"), `unknown field "staticClusterWeight" in ` + in + `.weightPreference; did you mean "staticWeightList"?`},
				{replicas("staticClusterWeight: []"), `unknown field "staticClusterWeight" in ` + in + `; did you mean "weightPreference.staticWeightList"?`},
				{weights("staticWeightList: {a: 2}"), list + " is an object, expected a list"},
			},
		},
		{field: list + "[].targetCluster", write: weight("targetCluster: {}, weight: 1"), reads: "{}", refused: []refusal{
			{weight("weight: 1"), entry + ".targetCluster is required"},
			{weight("targetClusters: {}, targetCluster: {}, weight: 1"), `unknown field "targetClusters" in ` + entry + `; did you mean "targetCluster"?`},
		}},
		{field: list + "[].weight", write: weight("targetCluster: {}, weight: 5"), reads: "5", refused: []refusal{
			{weight("targetCluster: {}"), entry + ".weight is required"},
			{weight("targetCluster: {}, weight: 0"), entry + ".weight is 0, expected 1 or more"},
			{weight("targetCluster: {}, weight: 50%"), entry + `.weight is the string "50%", expected a whole number`},
		}},
		{field: in + ".weightPreference.dynamicWeight", write: weights("dynamicWeight: AvailableReplicas"), reads: `"AvailableReplicas"`, refused: []refusal{
			{weights("dynamicWeight: AvailableReplica"), in + `.weightPreference.dynamicWeight is "AvailableReplica", expected AvailableReplicas; did you mean "AvailableReplicas"?`},
		}},
	}
	// A selector that is not valid matches no cluster here, as in Karmada, so that contents are not checked.
	return append(cases, affinityCases(list+"[].targetCluster", func(a string) string { return weight("targetCluster: {" + a + "}, weight: 1") }, false)...)
}
