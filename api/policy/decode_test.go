package policy_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

var origin = manifest.Origin{Path: "p.yaml", Line: 1}

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(encoded, &u.Object))
	return u
}

// propagation is a policy with these lines in its spec, and a selector for Deployments.
func propagation(kind, spec string) string {
	return "apiVersion: policy.karmada.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: web}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]\n" + indent(spec)
}

func overriding(kind, spec string) string {
	return "apiVersion: policy.karmada.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: web}\nspec:\n" + indent(spec)
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func decode(t testing.TB, text string) (*policy.Policy, error) {
	return policy.Decode(object(t, text), []byte(text), origin)
}

func TestDecodeSetsDefaults(t *testing.T) {
	p, err := decode(t, `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: web
  labels: {team: shop}
  creationTimestamp: "2024-01-01T00:00:00Z"
  uid: 1-2-3
  resourceVersion: "7"
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport}
  placement:
    replicaScheduling: {}
    spreadConstraints: [{}]
  failover:
    application: {decisionConditions: {}}
    cluster: {purgeMode: Immediately}
status: {}
`)
	require.NoError(t, err)
	require.Equal(t, "default", p.Namespace, "as kubectl does")
	require.Equal(t, "default/web", p.String())
	require.Equal(t, "PropagationPolicy default/web", p.Title())
	require.Equal(t, map[string]string{"team": "shop"}, p.Labels)
	require.Equal(t, 17, p.At("spec.failover.application.decisionConditions").Line)
	s := p.Spec
	require.Equal(t, "default", s.ResourceSelectors[0].Namespace)
	require.Equal(t, int32(0), *s.Priority)
	require.Equal(t, "Never", s.Preemption)
	require.Equal(t, "Abort", s.ConflictResolution)
	require.Equal(t, "default-scheduler", s.SchedulerName)
	require.True(t, s.PropagateDeps, "a ServiceImport needs its dependencies")
	require.Equal(t, &policy.ReplicaScheduling{ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Weighted"}, s.Placement.ReplicaScheduling)
	require.Equal(t, []policy.SpreadConstraint{{SpreadByField: "cluster", MinGroups: 1}}, s.Placement.SpreadConstraints)
	require.Equal(t, int32(300), *s.Failover.Application.DecisionConditions.TolerationSeconds)
	require.Equal(t, "Gracefully", s.Failover.Application.PurgeMode)
	require.Equal(t, int32(600), *s.Failover.Application.GracePeriodSeconds)
	require.Equal(t, "Directly", s.Failover.Cluster.PurgeMode)
}

func TestDecodeClusterWide(t *testing.T) {
	p, err := decode(t, propagation("ClusterPropagationPolicy", "priority: -3\nplacement: {replicaScheduling: {replicaSchedulingType: Duplicated}}\n"))
	require.NoError(t, err)
	require.True(t, p.ClusterWide())
	require.Equal(t, "ClusterPropagationPolicy web", p.Title())
	require.Equal(t, int32(-3), *p.Spec.Priority)
	require.Empty(t, p.Spec.ResourceSelectors[0].Namespace, "every namespace")
	require.Empty(t, p.Spec.Placement.ReplicaScheduling.ReplicaDivisionPreference)
}

func TestTitles(t *testing.T) {
	tainting := overriding("ClusterTaintPolicy", "taints: [{key: a, effect: NoSchedule}]")
	taints, err := policy.DecodeTaintPolicy(object(t, tainting), []byte(tainting), origin)
	require.NoError(t, err)
	require.Equal(t, "ClusterTaintPolicy web", taints.Title())
	require.True(t, taints.ClusterWide())

	moving := "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: web, namespace: shop}\nspec: {workloads: [{apiVersion: v1, kind: Pod, name: a}]}\n"
	rebalancer, err := policy.DecodeRebalancer(object(t, moving), []byte(moving), origin)
	require.NoError(t, err)
	require.Equal(t, "WorkloadRebalancer web", rebalancer.Title())
	require.Equal(t, "web", rebalancer.String(), "cluster-wide kinds have no namespace, whatever is written")

	override := overriding("ClusterOverridePolicy", "overrideRules: []")
	o, err := policy.DecodeOverride(object(t, override), []byte(override), origin)
	require.NoError(t, err)
	require.Equal(t, "ClusterOverridePolicy web", o.Title())
}

func TestManifestMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing but a kind", "kind: PropagationPolicy", `p.yaml:1: apiVersion is required
p.yaml:1: metadata.name is required
p.yaml:1: spec is required
p.yaml:1: spec.resourceSelectors needs at least one entry`},
		{"a version to come", "apiVersion: policy.karmada.io/v1\nkind: PropagationPolicy\nmetadata: {name: a}\nspec: {resourceSelectors: [{apiVersion: v1, kind: Pod}]}",
			`p.yaml:1: apiVersion is "policy.karmada.io/v1", expected policy.karmada.io/v1alpha1; did you mean "policy.karmada.io/v1alpha1"?`},
		{"another kind", "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: a}\nspec: {resourceSelectors: [{apiVersion: v1, kind: Pod}]}",
			`p.yaml:2: kind is "OverridePolicy", expected PropagationPolicy or ClusterPropagationPolicy`},
		{"indented too little", propagation("PropagationPolicy", "") + "placement: {}\n", `p.yaml:6: unknown field "placement"; did you mean "spec.placement"?`},
		{"indented too much", propagation("PropagationPolicy", "metadata: {}"), `p.yaml:6: unknown field "metadata" in spec; it belongs at the top of the manifest`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(t, c.text)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestMistakesHaveColumns(t *testing.T) {
	_, err := decode(t, propagation("PropagationPolicy", "placement: {replicaScheduling: {weightPreference: {}, type: Divided}}"))
	mistake, ok := errors.AsType[*manifest.Error](err)
	require.True(t, ok)
	require.Equal(t, manifest.Origin{Path: "p.yaml", Line: 6, Column: 57}, mistake.Origin)
}

func TestBothOverrideForms(t *testing.T) {
	text := overriding("ClusterOverridePolicy", "overrideRules: [{overriders: {}}]\ntargetCluster: {fieldSelector: {matchExpressions: [{key: rack, operator: In}]}}\noverriders: {plaintext: [{path: /a, operator: remove}]}\n")
	_, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
	require.ErrorContains(t, err, "p.yaml:6: spec.targetCluster and overrideRules are mutually exclusive")
	require.ErrorContains(t, err, "p.yaml:7: spec.overriders and overrideRules are mutually exclusive")
	require.ErrorContains(t, err, "expected provider, region or zone")
}

func TestSingleRuleIsFolded(t *testing.T) {
	text := overriding("OverridePolicy", "resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\ntargetCluster:\n  clusterNames: [a]\noverriders:\n  plaintext:\n  - {path: /data/a, operator: remove}\n  fieldOverrider:\n  - fieldPath: /data/b\n    json: [{subPath: /c, operator: remove}]\n")
	o, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
	require.NoError(t, err)
	require.Equal(t, "OverridePolicy default/web", o.Title())
	require.Equal(t, "default", o.Spec.ResourceSelectors[0].Namespace)
	require.Nil(t, o.Spec.TargetCluster)
	require.Nil(t, o.Spec.Overriders)
	require.Equal(t, []string{"a"}, o.Spec.OverrideRules[0].TargetCluster.ClusterNames)
	require.Equal(t, 10, o.At("spec.overrideRules[0].overriders.plaintext[0]").Line)
	require.Equal(t, 6, o.At("spec.overrideRules[0].targetCluster").Line)
}
