package policy_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
)

const rolloutHead = "apiVersion: accord.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: standard}\n"

// TestRolloutFields has a row for every field of a RolloutPolicy.
func TestRolloutFields(t *testing.T) {
	fieldTable{
		head: rolloutHead + "# line 4\n",
		base: "stages: [{name: all}]",
		tail: selecting(""),
		spec: reflect.TypeFor[policy.RolloutSpec](),
		decode: func(t *testing.T, text string) (any, error) {
			r, err := policy.DecodeRollout(object(t, text), []byte(text), origin)
			return r.Spec, err
		},
		skip:  []string{"spec.resourceSelectors"}, // TestRolloutScope
		cases: slices.Concat(rolloutFields(), rolloutStageFields(), gateFields(), windowFields()),
	}.run(t)
}

// selecting adds what every RolloutPolicy needs, in one line behind its spec.
func selecting(text string) string {
	return text + "  resourceSelectors: [{apiVersion: v1, kind: Pod}]\n"
}

func rolloutFields() []fieldCase {
	return slices.Concat(onLine("7", []fieldCase{
		{field: "spec.failureBudget", write: "failureBudget: {maxUnhealthy: 1}", reads: `{"maxUnhealthy":1}`, defaults: `{}`, refused: []refusal{
			{"failureBudget: 1", "spec.failureBudget is 1, expected an object"},
		}},
		{field: "spec.failureBudget.maxUnhealthy", write: "failureBudget: {maxUnhealthy: 25%}", reads: `"25%"`, refused: []refusal{
			{"failureBudget: {maxUnhealthy: 101%}", `spec.failureBudget.maxUnhealthy is "101%", expected a number of clusters like 3 or a share of the stage like "25%"`},
			{"failureBudget: {maxUnhealthy: -1}", `spec.failureBudget.maxUnhealthy is "-1", expected a number of clusters like 3 or a share of the stage like "25%"`},
			{"failureBudget: {maxUnhealthy: [1]}", `spec.failureBudget.maxUnhealthy is "[1]", expected a number of clusters like 3 or a share of the stage like "25%"`},
			{"failureBudget: {maxUnavailable: 1}", `unknown field "maxUnavailable" in spec.failureBudget; did you mean "maxUnreachable"?`},
		}},
		{field: "spec.failureBudget.maxUnreachable", write: "failureBudget: {maxUnreachable: '2'}", reads: `2`, refused: []refusal{
			{"failureBudget: {maxUnreachable: some}", `spec.failureBudget.maxUnreachable is "some", expected a number of clusters like 3 or a share of the stage like "25%"`},
		}},
		{field: "spec.progressDeadline", write: "progressDeadline: 1h30m", reads: `"1h30m"`, defaults: `"10m"`, refused: []refusal{
			{"progressDeadline: 10", "spec.progressDeadline is 10, expected a string; write it in quotes"},
			{"progressDeadline: 10 minutes", `spec.progressDeadline is "10 minutes", expected a time span like "90s" or "1h30m"`},
			{"progressDeadline: 0s", `spec.progressDeadline is "0s", expected more than that: without a deadline a rollout could wait for ever`},
		}},
		{field: "spec.onFailure", write: "onFailure: Rollback", reads: `"Rollback"`, defaults: `"Halt"`, refused: []refusal{
			{"onFailure: rollback", `spec.onFailure is "rollback", expected Halt or Rollback; did you mean "Rollback"?`},
		}},
		{field: "spec.catchUpPolicy", write: "catchUpPolicy: Staged", reads: `"Staged"`, defaults: `"Immediate"`, refused: []refusal{
			{"catchUpPolicy: Later", `spec.catchUpPolicy is "Later", expected Immediate or Staged`},
		}},
		{field: "spec.paused", write: "paused: true", reads: `true`, refused: []refusal{
			{"paused: incident 4411", "spec.paused is the string \"incident 4411\", expected true or false"},
		}},
		{field: "spec.pauseReason", write: "pauseReason: incident 4411", reads: `"incident 4411"`, refused: []refusal{
			{"pauseReason: true", "spec.pauseReason is true, expected a string; write it in quotes"},
			{"pause: true", `unknown field "pause" in spec; did you mean "paused"?`},
		}},
	}), onLine("6", []fieldCase{
		{field: "spec.stages", write: "stages: [{name: a}, {name: b}]", reads: `[{"gate":{"approval":"None"},"name":"a"},{"gate":{"approval":"None"},"name":"b"}]`,
			defaults: `[{"gate":{"approval":"None"},"name":"all"}]`, refused: []refusal{
				{"stages: []", "spec.stages needs at least one entry"},
				{"stages: all", "spec.stages is the string \"all\", expected a list; did you mean [all]?"},
			}},
	}))
}

func rolloutStageFields() []fieldCase {
	const at = "spec.stages[0]"
	cases := []fieldCase{
		{field: "spec.stages[].name", write: "stages: [{name: canary}]", reads: `"canary"`, defaults: `"all"`, refused: []refusal{
			{"stages: [{first: [a]}]", at + ".name is required"},
			{"stages: [{name: a}, {name: a}]", `spec.stages[1].name is "a", which is a duplicate`},
		}},
		{field: "spec.stages[].clusterAffinity", write: "stages: [{name: a, clusterAffinity: {exclude: [eu-1]}}]", reads: `{"exclude":["eu-1"]}`, refused: []refusal{
			{"stages: [{name: a, clusters: [eu-1]}]", `unknown field "clusters" in spec.stages[0]; did you mean "clusterAffinity.clusterNames"?`},
		}},
		{field: "spec.stages[].first", write: "stages: [{name: a, first: [eu-2, eu-1]}]", reads: `["eu-2","eu-1"]`, refused: []refusal{
			{"stages: [{name: a, first: [eu-1, eu-1]}]", `spec.stages[0].first[1] is "eu-1", which is a duplicate`},
			{"stages: [{name: a, first: ByName}]", `spec.stages[0].first is the string "ByName", expected a list; did you mean [ByName]?`},
		}},
		{field: "spec.stages[].maxConcurrency", write: "stages: [{name: a, maxConcurrency: 3}]", reads: `3`, refused: []refusal{
			{"stages: [{name: a, maxConcurrency: 0}]", "spec.stages[0].maxConcurrency is 0: no cluster would ever get anything; to stop the rollout set paused: true"},
			{"stages: [{name: a, maxConcurrency: half}]", `spec.stages[0].maxConcurrency is "half", expected a number of clusters like 3 or a share of the stage like "25%"`},
		}},
		{field: "spec.stages[].progressDeadline", write: "stages: [{name: a, progressDeadline: 1h}]", reads: `"1h"`, refused: []refusal{
			{"stages: [{name: a, progressDeadline: -1h}]", `spec.stages[0].progressDeadline is "-1h", expected a time span like "90s" or "1h30m"`},
		}},
		{field: "spec.stages[].paused", write: "stages: [{name: a, paused: true}]", reads: `true`, refused: []refusal{
			{"stages: [{name: a, paused: waiting}]", `spec.stages[0].paused is the string "waiting", expected true or false`},
		}},
		{field: "spec.stages[].pauseReason", write: "stages: [{name: a, pauseReason: waiting for the DBA}]", reads: `"waiting for the DBA"`, refused: []refusal{
			{"stages: [{name: a, pauseReason: 1}]", "spec.stages[0].pauseReason is 1, expected a string; write it in quotes"},
		}},
	}
	around := func(affinity string) string { return "stages: [{name: a, clusterAffinity: {" + affinity + "}}]" }
	return onLine("6", append(cases, affinityCases("spec.stages[].clusterAffinity", around, true)...))
}

func gateFields() []fieldCase {
	gate := func(rest string) string { return "stages: [{name: a, gate: {" + rest + "}}]" }
	const at = "spec.stages[0].gate"
	return onLine("6", []fieldCase{
		{field: "spec.stages[].gate", write: gate("soakDuration: 5m"), reads: `{"soakDuration":"5m","approval":"None"}`, defaults: `{"approval":"None"}`, refused: []refusal{
			{"stages: [{name: a, gate: Healthy}]", at + ` is the string "Healthy", expected an object`},
		}},
		{field: "spec.stages[].gate.soakDuration", write: gate("soakDuration: 10m"), reads: `"10m"`, refused: []refusal{
			{gate("soakDuration: -10m"), at + `.soakDuration is "-10m", expected a time span like "90s" or "1h30m"`},
		}},
		{field: "spec.stages[].gate.conditions", write: gate("conditions: [SmokeTestsPassed]"), reads: `["SmokeTestsPassed"]`, refused: []refusal{
			{gate("conditions: ['']"), at + ".conditions[0] is required"},
		}},
		{field: "spec.stages[].gate.job", write: gate("job: {namespace: shop, name: smoke}"), reads: `{"namespace":"shop","name":"smoke"}`, refused: []refusal{
			{gate("job: smoke"), at + ".job is the string \"smoke\", expected an object\np.yaml:6: " + at + ".job.namespace is required\np.yaml:6: " + at + ".job.name is required"},
		}},
		{field: "spec.stages[].gate.job.namespace", write: gate("job: {namespace: shop, name: smoke}"), reads: `"shop"`, refused: []refusal{
			{gate("job: {name: smoke}"), at + ".job.namespace is required"},
		}},
		{field: "spec.stages[].gate.job.name", write: gate("job: {namespace: shop, name: smoke}"), reads: `"smoke"`, refused: []refusal{
			{gate("job: {namespace: shop}"), at + ".job.name is required"},
		}},
		{field: "spec.stages[].gate.cel", write: gate("cel: 'true'"), reads: `"true"`, refused: []refusal{
			{gate("cel: true"), at + ".cel is true, expected a string; write it in quotes"},
		}},
		{field: "spec.stages[].gate.approval", write: gate("approval: Manual"), reads: `"Manual"`, defaults: `"None"`, refused: []refusal{
			{gate("approval: manual"), at + `.approval is "manual", expected None or Manual; did you mean "Manual"?`},
		}},
	})
}

func windowFields() []fieldCase {
	window := func(rest string) string { return "stages: [{name: a, gate: {windows: [{" + rest + "}]}}]" }
	const at = "spec.stages[0].gate.windows[0]"
	return onLine("6", []fieldCase{
		{field: "spec.stages[].gate.windows", write: window("days: [Mon]"), reads: `[{"days":["Mon"]}]`, refused: []refusal{
			{"stages: [{name: a, gate: {windows: {}}}]", "spec.stages[0].gate.windows is an object, expected a list"},
		}},
		{field: "spec.stages[].gate.windows[].days", write: window("days: [Mon, Sun]"), reads: `["Mon","Sun"]`, refused: []refusal{
			{window("days: [Monday]"), at + `.days[0] is "Monday", expected Mon, Tue, Wed, Thu, Fri, Sat or Sun; did you mean "Mon"?`},
		}},
		{field: "spec.stages[].gate.windows[].from", write: window("from: '22:00'"), reads: `"22:00"`, refused: []refusal{
			{window("from: '24:00'"), at + `.from is "24:00", expected a time of the day like "09:30"`},
			{window("from: '22:00', to: '22:00'"), at + " is from 22:00 to 22:00; leave out both for the whole day"},
		}},
		{field: "spec.stages[].gate.windows[].to", write: window("to: '04:30'"), reads: `"04:30"`, refused: []refusal{
			{window("to: 5pm"), at + `.to is "5pm", expected a time of the day like "09:30"`},
		}},
		{field: "spec.stages[].gate.windows[].timeZone", write: window("timeZone: Europe/Berlin"), reads: `"Europe/Berlin"`, refused: []refusal{
			{window("timeZone: CEST"), at + `.timeZone is "CEST", expected a name of the IANA database like "Europe/Berlin"`},
			{window("timeZone: Local"), at + `.timeZone is "Local", expected a name of the IANA database like "Europe/Berlin"`},
		}},
	})
}

// TestRolloutScope: with a namespace it is for the objects of that namespace only, as a PropagationPolicy is.
func TestRolloutScope(t *testing.T) {
	decode := func(metadata, selector string) (policy.Rollout, error) {
		text := "apiVersion: accord.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: " + metadata + "\nspec:\n  resourceSelectors: [" + selector + "]\n  stages: [{name: all}]\n"
		return policy.DecodeRollout(object(t, text), []byte(text), origin)
	}
	r, err := decode("{name: standard}", "{apiVersion: apps/v1, kind: Deployment}")
	require.NoError(t, err)
	require.True(t, r.ClusterWide())
	require.Equal(t, "RolloutPolicy standard", r.Title())
	require.Empty(t, r.Spec.ResourceSelectors[0].Namespace)

	r, err = decode("{name: standard, namespace: shop}", "{apiVersion: apps/v1, kind: Deployment}")
	require.NoError(t, err)
	require.False(t, r.ClusterWide())
	require.Equal(t, "RolloutPolicy shop/standard", r.Title())
	require.Equal(t, "shop", r.Spec.ResourceSelectors[0].Namespace)

	_, err = decode("{name: standard, namespace: shop}", "{apiVersion: apps/v1, kind: Deployment, namespace: other}")
	require.EqualError(t, err, `p.yaml:5: spec.resourceSelectors[0].namespace is "other"; a policy in namespace shop selects only there`)
	_, err = decode("{name: standard}", "")
	require.EqualError(t, err, "p.yaml:5: spec.resourceSelectors needs at least one entry")
	_, err = decode("{name: standard}", "{apiVersion: a/b/c}")
	require.EqualError(t, err, "p.yaml:5: spec.resourceSelectors[0].kind is required\np.yaml:5: spec.resourceSelectors[0].apiVersion is \"a/b/c\", expected \"<group>/<version>\" or \"v1\"")
}
