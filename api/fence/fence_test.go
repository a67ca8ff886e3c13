package fence_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/fence"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, u.UnmarshalJSON(encoded))
	return u
}

// merged is an object after an API server merged a patch.
func merged(u *unstructured.Unstructured, patch map[string]any) *unstructured.Unstructured {
	u = u.DeepCopy()
	merge(u.Object, patch)
	return u
}

func merge(into, patch map[string]any) {
	for name, value := range patch {
		below, is := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case is:
			merge(into[name].(map[string]any), below)
		default:
			into[name] = value
		}
	}
}

// TestFence stops and starts workloads. A started one is the one before.
func TestFence(t *testing.T) {
	for name, c := range map[string]struct {
		workload, stopped string // stopped is empty if nothing stops it
		runs              bool
	}{
		"a Deployment": {
			"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: {x: z}}, spec: {replicas: 3}}",
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: {x: z, recovery.accord.dev/fenced: "3"}}, spec: {replicas: 0}}`, true,
		},
		"a custom workload": {
			"{apiVersion: example.com/v1, kind: Database, metadata: {name: a, annotations: {x: z}}, spec: {replicas: 1}}",
			`{apiVersion: example.com/v1, kind: Database, metadata: {name: a, annotations: {x: z, recovery.accord.dev/fenced: "1"}}, spec: {replicas: 0}}`, true,
		},
		"a CronJob": {
			"{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, annotations: {x: z}}, spec: {suspend: false}}",
			`{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, annotations: {x: z, recovery.accord.dev/fenced: "false"}}, spec: {suspend: true}}`, true,
		},
		"a suspended CronJob": {"{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {suspend: true}}", "", false},
		"zero replicas":       {"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {replicas: 0}}", "", false},
		"a DaemonSet":         {"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {}}", "", true},
		"a ConfigMap":         {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			u := object(t, c.workload)
			runs, _ := fence.Runs(u)
			require.Equal(t, c.runs, runs)
			require.Nil(t, fence.Start(u))
			require.Same(t, u, fence.Started(u))
			patch := fence.Stop(u)
			if c.stopped == "" {
				require.Nil(t, patch)
				return
			}
			stopped := merged(u, patch)
			require.Equal(t, object(t, c.stopped), stopped)
			runs, _ = fence.Runs(stopped)
			require.False(t, runs)
			require.Nil(t, fence.Stop(stopped), "a second fence keeps the value of the first")
			require.Equal(t, u, fence.Started(stopped))
			require.Equal(t, u, merged(stopped, fence.Start(stopped)))
		})
	}
}

func TestAFenceThatSomebodyEditedStartsNothing(t *testing.T) {
	u := object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: {recovery.accord.dev/fenced: many}}, spec: {replicas: 0}}")
	require.Nil(t, fence.Start(u))
}
