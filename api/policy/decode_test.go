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

func decode(t testing.TB, text string) (policy.Policy, error) {
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

// TestPolicyMistakes has one row for every rule of Karmada §1.2 to §1.4.
func TestPolicyMistakes(t *testing.T) {
	const rs = "placement: {replicaScheduling: {"
	for _, c := range []struct{ name, spec, want string }{
		{"preemption", "preemption: Sometimes", "spec.preemption is \"Sometimes\", expected Always or Never"},
		{"conflict", "conflictResolution: Force", "expected Abort or Overwrite"},
		{"activation", "activationPreference: Eager", "expected Lazy"},
		{"suspended twice", "suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [a]}}", "excludes dispatchingOnClusters.clusterNames"},
		{"priority class", "schedulePriority: {priorityClassSource: Mine}", "expected KubePriorityClass"},
		{"priority class name", "schedulePriority: {priorityClassSource: KubePriorityClass}", "spec.schedulePriority.priorityClassName is required"},
		{"application failover without dependencies", "failover: {application: {decisionConditions: {}}}", "spec.propagateDeps must be true"},
		{"toleration", "propagateDeps: true\nfailover: {application: {decisionConditions: {tolerationSeconds: -1}}}", "tolerationSeconds is -1, expected 0 or more"},
		{"purge mode", "propagateDeps: true\nfailover: {application: {decisionConditions: {}, purgeMode: Now}}", "expected Directly, Gracefully or Never"},
		{"grace", "propagateDeps: true\nfailover: {application: {decisionConditions: {}, gracePeriodSeconds: 0}}", "gracePeriodSeconds is 0, expected more than 0"},
		{"grace without need", "propagateDeps: true\nfailover: {application: {decisionConditions: {}, purgeMode: Never, gracePeriodSeconds: 5}}", "with purgeMode Gracefully only"},
		{"cluster purge mode", "failover: {cluster: {purgeMode: Never}}", "expected Directly or Gracefully"},
		{"state without path", "failover: {cluster: {statePreservation: {rules: [{aliasLabelName: a}]}}}", "rules[0].jsonPath is required"},
		{"state with a bad label", "failover: {cluster: {statePreservation: {rules: [{aliasLabelName: a b, jsonPath: x}]}}}", `aliasLabelName is "a b"`},
		{"both affinities", "placement: {clusterAffinity: {}, clusterAffinities: [{affinityName: a}]}", "expected one of them"},
		{"field key", "placement: {clusterAffinity: {fieldSelector: {matchExpressions: [{key: regoin, operator: In}]}}}", `did you mean "region"?`},
		{"field operator", "placement: {clusterAffinity: {fieldSelector: {matchExpressions: [{key: region, operator: Exists}]}}}", "expected In or NotIn"},
		{"term without name", "placement: {clusterAffinities: [{clusterNames: [a]}]}", "clusterAffinities[0].affinityName is required"},
		{"term name too long", "placement: {clusterAffinities: [{affinityName: " + strings.Repeat("a", 33) + "}]}", "expected at most 32"},
		{"term name not valid", "placement: {clusterAffinities: [{affinityName: a b}]}", `affinityName is "a b"`},
		{"terms twice", "placement: {clusterAffinities: [{affinityName: a}, {affinityName: a}]}", "which is there twice"},
		{"overflow without dynamic", "placement: {clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: b}]}]}", "needs replicaScheduling Divided"},
		{"overflow of nothing", "placement: {replicaScheduling: {replicaDivisionPreference: Aggregated}, clusterAffinities: [{affinityName: a, overflowAffinities: [{affinityName: b}]}]}", "needs a primary affinity"},
		{"overflow named like the primary", "placement: {replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}, clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: a}]}]}", "which is there twice"},
		{"toleration operator", "placement: {clusterTolerations: [{operator: Gt}]}", "expected Equal or Exists"},
		{"spread field", "placement: {spreadConstraints: [{spreadByField: rack}]}", "expected cluster, region, zone or provider"},
		{"spread by both", "placement: {spreadConstraints: [{spreadByField: cluster, spreadByLabel: a}]}", "expected one of them"},
		{"spread twice", "placement: {spreadConstraints: [{spreadByField: cluster}, {}]}", `spreadByField is "cluster", which is there twice`},
		{"spread without cluster", "placement: {spreadConstraints: [{spreadByField: region}]}", "needs an entry with spreadByField: cluster"},
		{"spread min", "placement: {spreadConstraints: [{minGroups: -1}]}", "minGroups is -1"},
		{"spread max", "placement: {spreadConstraints: [{minGroups: 3, maxGroups: 2}]}", "expected at least minGroups (3)"},
		{"type", rs + "replicaSchedulingType: Split}}", "expected Duplicated or Divided"},
		{"preference", rs + "replicaDivisionPreference: Even}}", "expected Aggregated or Weighted"},
		{"dynamic weight", rs + "weightPreference: {dynamicWeight: Free}}}", "expected AvailableReplicas"},
		{"weight", rs + "weightPreference: {staticWeightList: [{targetCluster: {}, weight: 0}]}}}", "weight is 0, expected 1 or more"},
		{"affinity key", "placement: {workloadAffinity: {affinity: {}}}", "groupByLabelKey is required"},
		{"affinity key not valid", "placement: {workloadAffinity: {affinity: {groupByLabelKey: a b}}}", `groupByLabelKey is "a b"`},
		{"the same key apart", "placement: {workloadAffinity: {affinity: {groupByLabelKey: a}, antiAffinity: {groupByLabelKey: a}}}", "which is the key of affinity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(t, propagation("PropagationPolicy", c.spec))
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "p.yaml:")
		})
	}
}

func TestSelectorMistakes(t *testing.T) {
	const head = "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web, namespace: shop}\nspec:\n"
	for _, c := range []struct{ name, spec, want string }{
		{"no spec", "", "p.yaml:4: spec.resourceSelectors needs at least one entry"},
		{"none", "  resourceSelectors: []", "p.yaml:5: spec.resourceSelectors needs at least one entry"},
		{"no kind", "  resourceSelectors: [{apiVersion: v1}]", "resourceSelectors[0].kind is required"},
		{"no version", "  resourceSelectors: [{kind: Pod}]", "resourceSelectors[0].apiVersion is required"},
		{"bad version", "  resourceSelectors: [{apiVersion: a/b/c, kind: Pod}]", `expected "<group>/<version>" or "v1"`},
		{"another namespace", "  resourceSelectors: [{apiVersion: v1, kind: Pod, namespace: other}]", "a policy in namespace shop selects there only"},
		{"label selector", "  resourceSelectors: [{apiVersion: v1, kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: Is}]}}]", "labelSelector is not valid"},
		{"preemption by kind", "  preemption: Always\n  resourceSelectors: [{apiVersion: v1, kind: Pod}]", "name is required with preemption Always"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(t, head+c.spec)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := decode(t, "apiVersion: policy.karmada.io/v1\nkind: PropagationPolicy\nmetadata: {}\n")
	require.ErrorContains(t, err, "metadata.name is required")
	require.ErrorContains(t, err, `apiVersion is "policy.karmada.io/v1", expected policy.karmada.io/v1alpha1`)
	require.ErrorContains(t, err, "spec is required")
}

// TestOverrideMistakes has one row for every rule of Karmada §1.5 and §1.6, in both forms.
func TestOverrideMistakes(t *testing.T) {
	for _, c := range []struct{ name, overriders, want string }{
		{"plaintext without path", "plaintext: [{operator: add}]", "plaintext[0].path is required"},
		{"plaintext operator", "plaintext: [{path: /a, operator: move}]", `operator is "move", expected add, remove or replace`},
		{"no pointer", "plaintext: [{path: spec/replicas, operator: add}]", "expected a JSON pointer"},
		{"bad escape", "plaintext: [{path: /a~b, operator: add}]", "in a JSON pointer ~ is written ~0"},
		{"image component", "imageOverrider: [{component: Digest, operator: add}]", "expected Registry, Repository or Tag"},
		{"image without component", "imageOverrider: [{operator: add}]", "component is required"},
		{"image predicate", "imageOverrider: [{component: Tag, operator: add, predicate: {path: x}}]", "expected a JSON pointer"},
		{"command without container", "commandOverrider: [{operator: add}]", "containerName is required"},
		{"args operator", "argsOverrider: [{containerName: a, operator: replace}]", "expected add or remove"},
		{"labels without value", "labelsOverrider: [{operator: add}]", "value is required"},
		{"label value", "labelsOverrider: [{operator: add, value: {a: 'x y'}}]", `value.a is "x y"`},
		{"annotation key", "annotationsOverrider: [{operator: add, value: {'a b': x}}]", `has the key "a b"`},
		{"field without operations", "fieldOverrider: [{fieldPath: /data/a}]", "needs either json or yaml"},
		{"field with both", "fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /x, operator: remove}], yaml: [{subPath: /x, operator: remove}]}]", "needs either json or yaml"},
		{"field value missing", "fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /x, operator: add}]}]", "value is required with operator add"},
		{"field value too much", "fieldOverrider: [{fieldPath: /data/a, yaml: [{subPath: /x, operator: remove, value: 1}]}]", "value is not allowed with operator remove"},
	} {
		for form, spec := range map[string]string{
			"rule":   "overrideRules:\n- overriders:\n" + indent(indent(c.overriders)),
			"single": "overriders:\n" + indent(c.overriders),
		} {
			t.Run(form+"/"+c.name, func(t *testing.T) {
				text := overriding("OverridePolicy", spec)
				_, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
				require.ErrorContains(t, err, c.want)
				_, ok := errors.AsType[*manifest.Error](err)
				require.True(t, ok)
			})
		}
	}
}

func TestBothOverrideForms(t *testing.T) {
	text := overriding("ClusterOverridePolicy", "overrideRules: [{overriders: {}}]\ntargetCluster: {fieldSelector: {matchExpressions: [{key: rack, operator: In}]}}\noverriders: {plaintext: [{path: /a, operator: remove}]}\n")
	_, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
	require.ErrorContains(t, err, "p.yaml:6: spec.targetCluster and overrideRules exclude each other")
	require.ErrorContains(t, err, "p.yaml:7: spec.overriders and overrideRules exclude each other")
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

func TestEveryOverriderIsRead(t *testing.T) {
	text := overriding("ClusterOverridePolicy", `overrideRules:
- targetCluster: {labelSelector: {matchLabels: {a: b}}}
  overriders:
    plaintext: [{path: /spec/replicas, operator: replace, value: 3}]
    imageOverrider: [{predicate: {path: /spec/image}, component: Tag, operator: add, value: v2}]
    commandOverrider: [{containerName: a, operator: add, value: [x]}]
    argsOverrider: [{containerName: a, operator: remove, value: [x]}]
    labelsOverrider: [{operator: add, value: {a: b}}]
    annotationsOverrider: [{operator: remove, value: {a: ""}}]
    fieldOverrider: [{fieldPath: /data/x, yaml: [{subPath: /y, operator: replace, value: {z: 1}}]}]
`)
	o, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
	require.NoError(t, err)
	require.Equal(t, "ClusterOverridePolicy web", o.Title())
	ov := o.Spec.OverrideRules[0].Overriders
	require.JSONEq(t, "3", string(ov.Plaintext[0].Value.Raw))
	require.Equal(t, "/spec/image", ov.ImageOverrider[0].Predicate.Path)
	require.Equal(t, []string{"x"}, ov.ArgsOverrider[0].Value)
	require.JSONEq(t, `{"z":1}`, string(ov.FieldOverrider[0].YAML[0].Value.Raw))
}

func TestNotActedOn(t *testing.T) {
	p, err := decode(t, propagation("PropagationPolicy", `propagateDeps: true
preemption: Always
dependentOverrides: [a]
schedulerName: mine
activationPreference: Lazy
schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}
failover: {cluster: {}}
placement:
  clusterAffinities: [{affinityName: a}]
  clusterTolerations: [{key: a}]
  spreadConstraints: [{}]
  workloadAffinity: {affinity: {groupByLabelKey: app}}
  replicaScheduling: {replicaDivisionPreference: Aggregated, weightPreference: {dynamicWeight: AvailableReplicas}}
`))
	require.NoError(t, err)
	require.Equal(t, []string{
		"spec.propagateDeps", "spec.dependentOverrides", "spec.schedulerName", "spec.failover", "spec.activationPreference",
		"spec.schedulePriority", "spec.placement.clusterAffinities", "spec.placement.clusterTolerations",
		"spec.placement.spreadConstraints", "spec.placement.workloadAffinity",
		"spec.placement.replicaScheduling.replicaDivisionPreference",
		"spec.placement.replicaScheduling.weightPreference.dynamicWeight",
	}, p.NotActedOn())

	p, err = decode(t, propagation("PropagationPolicy", "suspension: {dispatching: false}\npreserveResourcesOnDeletion: true\nconflictResolution: Overwrite\npriority: 3\n"))
	require.NoError(t, err)
	require.Empty(t, p.NotActedOn())
}

// FuzzDecode: no manifest makes decoding panic, and one that is accepted has its defaults.
func FuzzDecode(f *testing.F) {
	f.Add(propagation("PropagationPolicy", "placement: {replicaScheduling: {}}"))
	f.Add(propagation("ClusterPropagationPolicy", "failover: {application: {}}"))
	f.Add(overriding("OverridePolicy", "overriders: {plaintext: [{path: /a, operator: add, value: {b: [1]}}]}"))
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := yaml.YAMLToJSON([]byte(text))
		u := &unstructured.Unstructured{}
		if err != nil || json.Unmarshal(encoded, &u.Object) != nil {
			return
		}
		if o, err := policy.DecodeOverride(u, []byte(text), origin); err == nil {
			require.Nil(t, o.Spec.Overriders)
		}
		if p, err := policy.Decode(u, []byte(text), origin); err == nil {
			require.NotNil(t, p.Spec.Priority)
			require.NotEmpty(t, p.Spec.ResourceSelectors)
		}
	})
}
