package hunk

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind"
)

// pods returns a workload with an image in its pod template.
func pods(t *testing.T, apiVersion, kind, spec, image string) *unstructured.Unstructured {
	t.Helper()
	u := parse(t, []byte(`{"apiVersion": "`+apiVersion+`", "kind": "`+kind+`", "metadata": {"name": "a"}, "spec": `+spec+`}`))
	template := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "app", "image": image}}}}
	path := []string{"spec", "template"}
	switch kind {
	case "UnitedDeployment":
		path = []string{"spec", "template", "deploymentTemplate", "spec", "template"}
	case "CronJob":
		path = []string{"spec", "jobTemplate", "spec", "template"}
	}
	require.NoError(t, unstructured.SetNestedField(u.Object, template, path...))
	return u
}

func TestRestarted(t *testing.T) {
	for name, tt := range map[string]struct {
		apiVersion, kind, before, after string
		n                               int32
		perNode                         bool
	}{
		"deployment":                             {"apps/v1", "Deployment", `{"replicas":3}`, `{"replicas":3}`, 3, false},
		"deployment without a count":             {"apps/v1", "Deployment", `{}`, `{}`, 1, false},
		"deployment of none":                     {"apps/v1", "Deployment", `{"replicas":0}`, `{"replicas":3}`, 0, false},
		"deployment that grows":                  {"apps/v1", "Deployment", `{"replicas":3}`, `{"replicas":5}`, 3, false},
		"deployment that shrinks":                {"apps/v1", "Deployment", `{"replicas":5}`, `{"replicas":3}`, 3, false},
		"deployment that pauses":                 {"apps/v1", "Deployment", `{"replicas":3}`, `{"replicas":3,"paused":true}`, 0, false},
		"replica set":                            {"apps/v1", "ReplicaSet", `{"replicas":3}`, `{"replicas":3}`, 0, false},
		"stateful set":                           {"apps/v1", "StatefulSet", `{"replicas":3}`, `{"replicas":3}`, 3, false},
		"stateful set with a partition":          {"apps/v1", "StatefulSet", `{"replicas":5}`, `{"replicas":5,"updateStrategy":{"rollingUpdate":{"partition":3}}}`, 2, false},
		"stateful set that is updated by hand":   {"apps/v1", "StatefulSet", `{"replicas":3}`, `{"replicas":3,"updateStrategy":{"type":"OnDelete"}}`, 0, false},
		"daemon set":                             {"apps/v1", "DaemonSet", `{}`, `{}`, 0, true},
		"daemon set that is updated by hand":     {"apps/v1", "DaemonSet", `{}`, `{"updateStrategy":{"type":"OnDelete"}}`, 0, false},
		"job":                                    {"batch/v1", "Job", `{"parallelism":3}`, `{"parallelism":3}`, 0, false},
		"cron job":                               {"batch/v1", "CronJob", `{}`, `{}`, 0, false},
		"rollout of Argo":                        {"argoproj.io/v1alpha1", "Rollout", `{"replicas":4}`, `{"replicas":4}`, 4, false},
		"rollout of Argo that pauses":            {"argoproj.io/v1alpha1", "Rollout", `{"replicas":4}`, `{"replicas":4,"paused":true}`, 0, false},
		"clone set with a partition of percents": {"apps.kruise.io/v1alpha1", "CloneSet", `{"replicas":10}`, `{"replicas":10,"updateStrategy":{"partition":"80%"}}`, 2, false},
		"clone set that pauses":                  {"apps.kruise.io/v1alpha1", "CloneSet", `{"replicas":10}`, `{"replicas":10,"updateStrategy":{"paused":true}}`, 0, false},
		"stateful set of Kruise that pauses":     {"apps.kruise.io/v1beta1", "StatefulSet", `{"replicas":3}`, `{"replicas":3,"updateStrategy":{"rollingUpdate":{"paused":true}}}`, 0, false},
		"daemon set of Kruise":                   {"apps.kruise.io/v1alpha1", "DaemonSet", `{}`, `{}`, 0, true},
		"united deployment":                      {"apps.kruise.io/v1alpha1", "UnitedDeployment", `{"replicas":6}`, `{"replicas":6,"updateStrategy":{"manualUpdate":{"partitions":{"a":2}}}}`, 4, false},
		"a kind that nobody knows":               {"example.com/v1", "Widget", `{"replicas":3}`, `{"replicas":3}`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := pods(t, tt.apiVersion, tt.kind, tt.before, "web:1"), pods(t, tt.apiVersion, tt.kind, tt.after, "web:2")
			k := kind.Of(before.GroupVersionKind().GroupKind())
			n, perNode := Restarted(k, before, after)
			require.Equal(t, tt.n, n)
			require.Equal(t, tt.perNode, perNode)
			require.Equal(t, n > 0 || perNode, Restarts(k, before, after))

			same := pods(t, tt.apiVersion, tt.kind, tt.after, "web:1")
			require.False(t, Restarts(k, before, same), "the template is the same")
			require.False(t, Restarts(k, nil, after))
			require.False(t, Restarts(k, before, nil))
			require.Nil(t, Immutable(k, nil, after))
			require.Nil(t, Immutable(k, before, nil))
		})
	}
}

// TestUnreadableTemplates compares templates that cannot be decoded as they are written. Huge quantities must not take
// forever.
func TestUnreadableTemplates(t *testing.T) {
	template := func(cpu any) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "app", "resources": map[string]any{"requests": map[string]any{"cpu": cpu}},
		}}}}
	}
	require.True(t, kind.SamePods(template("1e99999999"), template("1e99999999")))
	require.False(t, kind.SamePods(template("1e99999999"), template("1")))
	require.True(t, kind.SamePods(template("1"), template(int64(1))))
	require.True(t, kind.SamePods(template("1000m"), template(1.0)))
	require.False(t, kind.SamePods(template("much"), template("1")))
	require.False(t, kind.SamePods(template([]any{}), template("1")))
}
