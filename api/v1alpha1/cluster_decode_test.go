package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func decodeCluster(t *testing.T, text string) (v1alpha1.Cluster, error) {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(encoded, &u.Object))
	return v1alpha1.DecodeCluster(u, []byte(text), manifest.Origin{Path: "c.yaml", Line: 1})
}

func TestDecodeCluster(t *testing.T) {
	c, err := decodeCluster(t, `apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata:
  name: eu-1
  uid: 1-2-3
  resourceVersion: "7"
  labels: {tier: prod}
  annotations: {note: mine}
spec:
  syncMode: Push
  apiEndpoint: https://10.0.0.1:6443
  secretRef: {namespace: karmada-cluster, name: eu-1}
  impersonatorSecretRef: {namespace: karmada-cluster, name: eu-1-impersonator}
  proxyURL: socks5://proxy:1080
  proxyHeader: {a: b}
  provider: hetzner
  region: eu
  zone: eu-a
  taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}]
  resourceModels: [{grade: 1, ranges: [{name: cpu, min: "1", max: "2"}]}, {grade: 0, ranges: [{name: cpu, min: "0.5", max: "1"}]}]
status:
  kubernetesVersion: v1.36.0
  remedyActions: [TrafficControl]
  conditions: [{type: CompleteAPIEnablements, status: "True", reason: Complete, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]
  apiEnablements: [{groupVersion: apps/v1, resources: [{name: deployments, kind: Deployment}]}]
  resourceSummary: {allocatable: {cpu: 16}, allocated: {cpu: 500m}, allocatableModelings: [{grade: 1, count: 2}]}
`)
	require.NoError(t, err)
	require.Equal(t, "accord.dev/v1alpha1", c.APIVersion)
	require.Equal(t, "eu-1", c.Name)
	require.Equal(t, map[string]string{"tier": "prod"}, c.Labels)
	require.Equal(t, map[string]string{"note": "mine"}, c.Annotations)
	require.Empty(t, c.UID)
	require.Empty(t, c.ResourceVersion)
	require.Empty(t, c.Status.KubernetesVersion, "only facts that placing and dividing need")
	require.Equal(t, v1alpha1.CompleteAPIEnablements, c.Status.Conditions[0].Type)
	require.Equal(t, "Deployment", c.Status.APIEnablements[0].Resources[0].Kind)
	require.EqualValues(t, 500, c.Status.ResourceSummary.Allocated.Cpu().MilliValue())
	require.EqualValues(t, 2, c.Status.ResourceSummary.AllocatableModelings[0].Count)
	models := c.Spec.ResourceModels
	require.EqualValues(t, 0, models[0].Grade, "sorted by grade")
	require.True(t, models[0].Ranges[0].Min.IsZero(), "the first grade reaches down to 0")
	require.EqualValues(t, math.MaxInt64, models[1].Ranges[0].Max.Value(), "the last one has no end")
	require.Equal(t, []string{"eu-a"}, c.Spec.Zones, "the deprecated zone is moved")
	require.Empty(t, c.Spec.Zone)
	require.Equal(t, corev1.TaintEffectNoExecute, c.Spec.Taints[1].Effect)

	c, err = decodeCluster(t, "{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}")
	require.NoError(t, err)
	require.Equal(t, "Push", c.Spec.SyncMode)
}

// TestClusterMistakes has one row for every rule of Karmada §1.8.
func TestClusterMistakes(t *testing.T) {
	cluster := func(spec string) string {
		return "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec:\n  " + spec + "\n"
	}
	named := func(name string) string {
		return "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata:\n  name: " + name + "\n"
	}
	models := func(grades ...string) string { // each "grade resource min max ..."
		text := "resourceModels:"
		for _, g := range grades {
			f := strings.Fields(g)
			var ranges []string
			for r := f[1:]; len(r) > 0; r = r[3:] {
				ranges = append(ranges, fmt.Sprintf("{name: %s, min: %s, max: %s}", r[0], r[1], r[2]))
			}
			text += fmt.Sprintf("\n  - {grade: %s, ranges: [%s]}", f[0], strings.Join(ranges, ", "))
		}
		return cluster(text)
	}
	for _, c := range []struct{ name, text, want string }{
		{"upper case", named("Member1"), `did you mean "member1"?`},
		{"D21/letters that no name has", named("München"), `c.yaml:4: "München" is not a valid Cluster name: lower-case letters, digits and '-' are allowed, and the ends must be letters or digits`},
		{"dots", named("a.b"), `c.yaml:4: "a.b" is not a valid Cluster name`},
		{"no name", named("''"), "metadata.name is required"},
		{"long name", named(strings.Repeat("a", 49)), "has at most 48 characters"},
		{"HostileLabel/another Federation", named("a\n  labels:\n    tier: prod\n    accord.dev/declared-by: shop.prod"), `c.yaml:7: the label "accord.dev/declared-by" is reserved`},
		{"HostileLabel/a subdomain", named("a\n  labels: {revision.accord.dev/main: x}"), `the label "revision.accord.dev/main" is reserved`},
		{"HostileLabel/an inventory", named("a\n  labels: {applyset.kubernetes.io/part-of: x}"), `the label "applyset.kubernetes.io/part-of" is reserved`},
		{"pull with an endpoint", cluster("syncMode: Pull\n  apiEndpoint: https://a"), "c.yaml:6: spec.apiEndpoint and spec.syncMode Pull are mutually exclusive"},
		{"pull with credentials", cluster("syncMode: Pull\n  secretRef: {namespace: a, name: b}"), "c.yaml:6: spec.secretRef and spec.syncMode Pull are mutually exclusive"},
		{"sync mode", cluster("syncMode: Poll"), `spec.syncMode is "Poll", expected Push or Pull`},
		{"unknown field", cluster("apiEndPoint: https://a"), `c.yaml:5: unknown field "apiEndPoint" in spec; did you mean "apiEndpoint"?`},
		{"endpoint without host", cluster("apiEndpoint: 'https:///x'"), "expected a URL with a host"},
		{"endpoint scheme", cluster("apiEndpoint: 'ftp://a'"), "expected https or http"},
		{"endpoint not a URL", cluster("apiEndpoint: 'https://a b:%'"), "is not a URL"},
		{"endpoint with a user", cluster("apiEndpoint: 'https://u:p@a'"), "must not have a user"},
		{"proxy scheme", cluster("proxyURL: 'ssh://a'"), "expected http, https or socks5"},
		{"secret without namespace", cluster("secretRef: {name: a}"), "spec.secretRef.namespace is required"},
		{"secret without name", cluster("impersonatorSecretRef: {namespace: a}"), "spec.impersonatorSecretRef.name is required"},
		{"region", cluster("region: 'e u'"), `spec.region is "e u"`},
		{"zones", cluster("zones: [a, 'b b']"), `spec.zones[1] is "b b"`},
		{"zone and zones", cluster("{zone: a, zones: [b]}"), "excludes spec.zones"},
		{"taint effect", cluster("taints: [{key: a, effect: PreferNoSchedule}]"), "expected NoSchedule or NoExecute"},
		{"taint without key", cluster("taints: [{effect: NoSchedule}]"), "spec.taints[0].key is required"},
		{"taint twice", cluster("taints: [{key: a, effect: NoSchedule}, {key: a, value: x, effect: NoSchedule}]"), `repeats key "a"`},
		{"grade twice", models("0 cpu 0 1", "1 cpu 1 2", "1 cpu 2 3"), "c.yaml:8: spec.resourceModels[2].grade is 1, which is a duplicate"},
		{"grade without ranges", cluster("resourceModels: [{grade: 1, ranges: []}]"), "spec.resourceModels[0].ranges is required"},
		{"range of nothing", models("0 '' 0 1"), "spec.resourceModels[0].ranges[0].name is required"},
		{"range ends before it begins", models("0 cpu 0 1", "1 cpu 3 2", "2 cpu 2 4"), "c.yaml:7: spec.resourceModels[1].ranges[0]: max 2 of cpu is not greater than min 3"},
		{"range twice", models("0 cpu 0 1 cpu 0 1"), `spec.resourceModels[0].ranges[1] repeats resource "cpu"`},
		{"gap between grades, written in another order", models("1 cpu 2 3", "0 cpu 0 1"), "c.yaml:6: spec.resourceModels[0].ranges[0]: cpu of grade 1 begins at 2, and grade 0 ends at 1"},
		{"resource missing in a grade", models("0 cpu 0 1 memory 0 1Gi", "1 cpu 1 2"), "c.yaml:7: spec.resourceModels[1]: grade 1 has no range of memory and grade 0 has one"},
		{"resource missing in a lower grade", models("0 cpu 0 1", "1 cpu 1 2 memory 0 1Gi"), "grade 1 has a range of memory and grade 0 has none"},
		{"D22/status", cluster("{}\nstatus:\n  resourceSummary: {allocatable: {cpu: many}}"), `c.yaml:7: status.resourceSummary.allocatable.cpu is the string "many", expected a quantity, such as 500m or 2Gi`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decodeCluster(t, c.text)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := decodeCluster(t, "{apiVersion: cluster.karmada.io/v1beta1, kind: Cluster, metadata: {name: a}}")
	require.ErrorContains(t, err, "expected accord.dev/v1alpha1 or cluster.karmada.io/v1alpha1")
}
