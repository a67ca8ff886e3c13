package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

// TestDeclaredReadsBack: a dump of the fleet is the fleet.
func TestDeclaredReadsBack(t *testing.T) {
	for name, text := range map[string]string{
		"nothing known": `{metadata: {name: a}}`,
		"everything": `
metadata: {name: a, labels: {tier: prod}}
spec:
  provider: p
  region: r
  zones: [x, y]
  taints: [{key: k, value: v, effect: NoSchedule}]
  resourceModels:
  - {grade: 0, ranges: [{name: cpu, min: "0", max: "2"}, {name: memory, min: "0", max: 8Gi}]}
  - {grade: 1, ranges: [{name: cpu, min: "2", max: "4"}, {name: memory, min: 8Gi, max: 16Gi}]}
status:
  conditions: [{type: Ready, status: "True"}, {type: CompleteAPIEnablements, status: "True"}]
  apiEnablements:
  - {groupVersion: v1, resources: [{kind: Secret}, {kind: ConfigMap}]}
  - {groupVersion: apps/v1, resources: [{kind: Deployment}]}
  taints: [{key: policy, effect: NoSchedule}]
  resourceSummary:
    allocatable: {cpu: "8", pods: "110"}
    allocated: {cpu: 1500m, pods: "20"}
    allocating: {pods: "1"}
    allocatableModelings: [{grade: 0, count: 2}, {grade: 1, count: 5}]
`,
	} {
		t.Run(name, func(t *testing.T) {
			var c v1alpha1.Cluster
			require.NoError(t, yaml.UnmarshalStrict([]byte(text), &c))
			once := fleet.From(c, manifest.Origin{Path: "fleet.yaml", Line: 1})
			again := v1alpha1.Cluster{ObjectMeta: c.ObjectMeta}
			again.Spec, again.Status = once.Declared()
			dumped, err := yaml.Marshal(again)
			require.NoError(t, err)
			var read v1alpha1.Cluster
			require.NoError(t, yaml.UnmarshalStrict(dumped, &read), string(dumped))
			twice := fleet.From(read, once.Origin)
			require.Equal(t, written(t, once), written(t, twice))
			require.Equal(t, once.APIs, twice.APIs)
		})
	}
}

// written writes a cluster down, so that quantities compare by value.
func written(t *testing.T, c fleet.Cluster) string {
	t.Helper()
	text, err := yaml.Marshal(c)
	require.NoError(t, err)
	return string(text)
}
