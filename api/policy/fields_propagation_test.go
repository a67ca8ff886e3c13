package policy_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/accord-dev/accord/api/policy"
)

// TestPropagationFields is Karmada §1.2 to §1.4, row by row.
func TestPropagationFields(t *testing.T) {
	fieldTable{
		head: "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web, namespace: shop}\n",
		base: "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]",
		spec: reflect.TypeFor[policy.PolicySpec](),
		decode: func(t *testing.T, text string) (any, error) {
			p, err := decode(t, text)
			return p.Spec, err
		},
		cases: slices.Concat(onLine("5", selectorFields()), onLine("6", slices.Concat(policyFields(), placementFields(), replicaFields(), failoverFields()))),
	}.run(t)
}

func selectorFields() []fieldCase {
	const pods = "resourceSelectors: [{apiVersion: v1, kind: Pod}]"
	return []fieldCase{
		{
			field: "spec.resourceSelectors", write: pods, reads: `[{"apiVersion":"v1","kind":"Pod","namespace":"shop"}]`,
			defaults: `[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","namespace":"shop"}]`,
			refused: []refusal{
				{"resourceSelectors: []", "spec.resourceSelectors needs at least one entry"},
				{"resourceSelectors: Deployment", `spec.resourceSelectors is the string "Deployment", expected a list; did you mean [Deployment]?`},
			},
		}, {
			field: "spec.resourceSelectors[].apiVersion", write: pods, reads: `"v1"`, defaults: `"apps/v1"`,
			refused: []refusal{
				{"resourceSelectors: [{kind: Pod}]", "spec.resourceSelectors[0].apiVersion is required"},
				{"resourceSelectors: [{apiVersion: a/b/c, kind: Pod}]", `spec.resourceSelectors[0].apiVersion is "a/b/c", expected "<group>/<version>" or "v1"`},
				{"resourceSelectors: [{apiversion: v1, apiVersion: v1, kind: Pod}]", `unknown field "apiversion" in spec.resourceSelectors[0]; did you mean "apiVersion"?`},
			},
		}, {
			field: "spec.resourceSelectors[].kind", write: pods, reads: `"Pod"`, defaults: `"Deployment"`,
			refused: []refusal{{"resourceSelectors: [{apiVersion: v1}]", "spec.resourceSelectors[0].kind is required"}},
		}, {
			field: "spec.resourceSelectors[].namespace", write: "resourceSelectors: [{apiVersion: v1, kind: Pod, namespace: shop}]", reads: `"shop"`,
			defaults: `"shop"`,
			refused: []refusal{
				{"resourceSelectors: [{apiVersion: v1, kind: Pod, namespace: other}]", `spec.resourceSelectors[0].namespace is "other"; a policy in namespace shop selects only there`},
				{"resourceSelectors: [{apiVersion: v1, kind: Pod, nnamespace: shop}]", `unknown field "nnamespace" in spec.resourceSelectors[0]; did you mean "namespace"?`},
			},
		}, {
			field: "spec.resourceSelectors[].name", write: "resourceSelectors: [{apiVersion: v1, kind: Pod, name: a}]", reads: `"a"`, without: pods,
			refused: []refusal{
				{"{preemption: Always, resourceSelectors: [{apiVersion: v1, kind: Pod}]}", "spec.resourceSelectors[0].name is required with preemption Always"},
				{"resourceSelectors: [{apiVersion: v1, kind: Pod, names: [a]}]", `unknown field "names" in spec.resourceSelectors[0]; did you mean "name"?`},
			},
		}, {
			field: "spec.resourceSelectors[].labelSelector", write: "resourceSelectors: [{apiVersion: v1, kind: Pod, labelSelector: {matchLabels: {a: b}}}]",
			reads: `{"matchLabels":{"a":"b"}}`,
			refused: []refusal{
				{
					"resourceSelectors: [{apiVersion: v1, kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: Is}]}}]",
					`spec.resourceSelectors[0].labelSelector is invalid: "Is" is not a valid label selector operator`,
				},
				{"resourceSelectors: [{apiVersion: v1, kind: Pod, matchLabels: {a: b}}]", `unknown field "matchLabels" in spec.resourceSelectors[0]; did you mean "labelSelector.matchLabels"?`},
			},
		},
	}
}

// policyFields are the rest of Karmada §1.2.
func policyFields() []fieldCase {
	const class = "schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}"
	const both = "suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [a]}}"
	const application = "failover: {application: {decisionConditions: {}}}"
	return []fieldCase{
		{field: "spec.association", write: "association: true", reads: "true", refused: []refusal{{"association: 1", "spec.association is 1, expected true or false"}}},
		{
			field: "spec.propagateDeps", write: "propagateDeps: true", reads: "true",
			refused: []refusal{
				{application, "spec.failover.application needs spec.propagateDeps: true"},
				{"propagateDependencies: true", `unknown field "propagateDependencies" in spec; did you mean "propagateDeps"?`},
			},
		},
		{
			field: "spec.placement", write: "placement: {clusterTolerations: [{key: a}]}", reads: `{"clusterTolerations":[{"key":"a"}]}`, defaults: "{}",
			refused: []refusal{
				{"placement: [a]", "spec.placement is a list, expected an object"},
				{"placment: {}", `unknown field "placment" in spec; did you mean "placement"?`},
			},
		},
		{
			field: "spec.priority", write: "priority: -3", reads: "-3", defaults: "0",
			refused: []refusal{
				{"priority: high", `spec.priority is the string "high", expected a whole number`},
				{"priority: 2147483648", "spec.priority is 2147483648, which is out of range"},
				{"priority: 1.5", "spec.priority is 1.5, expected a whole number"},
			},
		},
		{
			field: "spec.preemption", write: "preemption: Always", reads: `"Always"`, defaults: `"Never"`,
			refused: []refusal{{"preemption: always", `spec.preemption is "always", expected Always or Never; did you mean "Always"?`}},
		},
		{
			field: "spec.dependentOverrides", write: "dependentOverrides: [eu, asia]", reads: `["eu","asia"]`,
			refused: []refusal{{"dependentOverrides: 'eu, asia'", `spec.dependentOverrides is the string "eu, asia", expected a list; 2 names in one string? Write [eu, asia]`}},
		},
		{
			field: "spec.schedulerName", write: "schedulerName: mine", reads: `"mine"`, defaults: `"default-scheduler"`,
			refused: []refusal{{"schedulerName: [mine]", `spec.schedulerName is a list, expected a string`}},
		},
		{
			field: "spec.conflictResolution", write: "conflictResolution: Overwrite", reads: `"Overwrite"`, defaults: `"Abort"`,
			refused: []refusal{{"conflictResolution: Overwrites", `spec.conflictResolution is "Overwrites", expected Abort or Overwrite; did you mean "Overwrite"?`}},
		},
		{
			field: "spec.activationPreference", write: "activationPreference: Lazy", reads: `"Lazy"`,
			refused: []refusal{{"activationPreference: Eager", `spec.activationPreference is "Eager", expected Lazy`}},
		},
		{
			field: "spec.suspension", write: "suspension: {}", reads: "{}",
			refused: []refusal{{"suspend: true", `unknown field "suspend" in spec; did you mean "suspension"?`}},
		},
		{
			field: "spec.suspension.dispatching", write: "suspension: {dispatching: true}", reads: "true", without: "suspension: {}",
			refused: []refusal{
				{both, "spec.suspension.dispatching: true excludes dispatchingOnClusters.clusterNames; it suspends every cluster already"},
				{"suspension: {dispatching: 'yes'}", `spec.suspension.dispatching is the string "yes", expected true or false`},
				{"dispatching: true", `unknown field "dispatching" in spec; did you mean "suspension.dispatching"?`},
			},
		},
		{field: "spec.suspension.dispatchingOnClusters", write: "suspension: {dispatchingOnClusters: {}}", reads: "{}", without: "suspension: {}"},
		{
			field: "spec.suspension.dispatchingOnClusters.clusterNames", write: "suspension: {dispatching: false, dispatchingOnClusters: {clusterNames: [a]}}", reads: `["a"]`,
			refused: []refusal{{
				"suspension: {dispatchingOnClusters: {clusterNames: a}}",
				`spec.suspension.dispatchingOnClusters.clusterNames is the string "a", expected a list; did you mean [a]?`,
			}},
		},
		{
			field: "spec.preserveResourcesOnDeletion", write: "preserveResourcesOnDeletion: false", reads: "false",
			refused: []refusal{{"preserveResourcesOnDelete: true", `unknown field "preserveResourcesOnDelete" in spec; did you mean "preserveResourcesOnDeletion"?`}},
		},
		{field: "spec.schedulePriority", write: class, reads: `{"priorityClassName":"high","priorityClassSource":"KubePriorityClass"}`},
		{
			field: "spec.schedulePriority.priorityClassSource", write: class, reads: `"KubePriorityClass"`,
			refused: []refusal{
				{"schedulePriority: {priorityClassName: high}", "spec.schedulePriority.priorityClassSource is required"},
				{"schedulePriority: {priorityClassSource: PodPriorityClass, priorityClassName: high}", `spec.schedulePriority.priorityClassSource is "PodPriorityClass", expected KubePriorityClass; did you mean "KubePriorityClass"?`},
			},
		},
		{
			field: "spec.schedulePriority.priorityClassName", write: class, reads: `"high"`,
			refused: []refusal{
				{"schedulePriority: {priorityClassSource: KubePriorityClass}", "spec.schedulePriority.priorityClassName is required"},
				{"priorityClassName: high", `unknown field "priorityClassName" in spec; did you mean "schedulePriority.priorityClassName"?`},
			},
		},
	}
}

// failoverFields are Karmada §1.4.
func failoverFields() []fieldCase {
	application := func(rest string) string {
		return "failover: {application: {" + rest + "}}\npropagateDeps: true"
	}
	cluster := func(rest string) string { return "failover: {cluster: {" + rest + "}}" }
	const conditions = "decisionConditions: {}"
	const in = "spec.failover.application"
	cases := []fieldCase{
		{field: "spec.failover", write: "failover: {}", reads: "{}"},
		{
			field: in, write: application(conditions), reads: `{"decisionConditions":{"tolerationSeconds":300},"gracePeriodSeconds":600,"purgeMode":"Gracefully"}`,
			without: "failover: {}",
		}, {
			field: in + ".decisionConditions", write: application("decisionConditions: {tolerationSeconds: 5}"), reads: `{"tolerationSeconds":5}`,
			refused: []refusal{{application(""), "spec.failover.application.decisionConditions is required"}},
		}, {
			field: in + ".decisionConditions.tolerationSeconds", write: application("decisionConditions: {tolerationSeconds: 0}"), reads: "0",
			without: application(conditions), defaults: "300",
			refused: []refusal{
				{application("decisionConditions: {tolerationSeconds: -1}"), "spec.failover.application.decisionConditions.tolerationSeconds is -1, expected 0 or more"},
				{application("decisionConditions: {tolerationSeconds: 5m}"), `spec.failover.application.decisionConditions.tolerationSeconds is the string "5m", expected a whole number`},
				{application(conditions + ", tolerationSeconds: 5"), `unknown field "tolerationSeconds" in spec.failover.application; did you mean "decisionConditions.tolerationSeconds"?`},
			},
		}, {
			field: in + ".purgeMode", write: application(conditions + ", purgeMode: Never"), reads: `"Never"`,
			without: application(conditions), defaults: `"Gracefully"`,
			refused: []refusal{{application(conditions + ", purgeMode: Graceful"), `spec.failover.application.purgeMode is "Graceful", expected Directly, Gracefully or Never; did you mean "Gracefully"?`}},
		}, {
			field: in + ".gracePeriodSeconds", write: application(conditions + ", gracePeriodSeconds: 5"), reads: "5",
			without: application(conditions), defaults: "600",
			refused: []refusal{
				{application(conditions + ", gracePeriodSeconds: 0"), "spec.failover.application.gracePeriodSeconds is 0, expected more than 0"},
				{application(conditions + ", gracePeriodSeconds: 5, purgeMode: Directly"), "spec.failover.application.gracePeriodSeconds is only allowed with purgeMode Gracefully"},
			},
		},
		{field: "spec.failover.cluster", write: cluster(""), reads: `{"purgeMode":"Gracefully"}`, without: "failover: {}"},
		{
			field: "spec.failover.cluster.purgeMode", write: cluster("purgeMode: Directly"), reads: `"Directly"`, without: cluster(""), defaults: `"Gracefully"`,
			refused: []refusal{{cluster("purgeMode: Never"), `spec.failover.cluster.purgeMode is "Never", expected Directly or Gracefully`}},
		},
	}
	cases = append(cases, preservationFields(in, func(rules string) string { return application(conditions + ", statePreservation: {" + rules + "}") })...)
	return append(cases, preservationFields("spec.failover.cluster", func(rules string) string { return cluster("statePreservation: {" + rules + "}") })...)
}

func preservationFields(parent string, around func(rules string) string) []fieldCase {
	in := parent + ".statePreservation"
	rule := func(rule string) string { return around("rules: [{" + rule + "}]") }
	good := rule("aliasLabelName: job-id, jsonPath: '{ .jobStatus.jobID }'")
	return []fieldCase{
		{field: in, write: around("rules: []"), reads: `{"rules":[]}`},
		{
			field: in + ".rules", write: good, reads: `[{"aliasLabelName":"job-id","jsonPath":"{ .jobStatus.jobID }"}]`,
			refused: []refusal{{around(""), in + ".rules is required"}},
		},
		{
			field: in + ".rules[].aliasLabelName", write: good, reads: `"job-id"`,
			refused: []refusal{
				{rule("jsonPath: x"), in + ".rules[0].aliasLabelName is required"},
				{rule("aliasLabelName: a b, jsonPath: x"), in + `.rules[0].aliasLabelName is "a b": ` + notAKey},
			},
		},
		{
			field: in + ".rules[].jsonPath", write: good, reads: `"{ .jobStatus.jobID }"`,
			refused: []refusal{{rule("aliasLabelName: a"), in + ".rules[0].jsonPath is required"}},
		},
	}
}

// notAKey is the message of apimachinery.
const notAKey = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
	"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
