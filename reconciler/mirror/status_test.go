package mirror

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kubectl/pkg/polymorphichelpers"

	"github.com/accord-dev/accord/api/manifest"
	accord "github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// cells that a cluster can be in.
var states = []string{"current", "rolling", "older", "missing", "unreachable", "held", "failed"}

// cell is one cluster with two replicas wanted.
func cell(id manifest.ID, cluster, state string) accord.Cell {
	live := func(digest string, seen int64, updated, available int64) *accord.Report {
		u := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"generation": int64(2)},
			"spec":     map[string]any{"replicas": int64(2), "updateStrategy": map[string]any{"type": "RollingUpdate"}},
			"status": map[string]any{
				"observedGeneration": seen, "replicas": int64(2), "readyReplicas": int64(2), "currentReplicas": int64(2),
				"updatedReplicas": updated, "availableReplicas": available,
				"desiredNumberScheduled": int64(2), "currentNumberScheduled": int64(2), "numberReady": int64(2),
				"updatedNumberScheduled": updated, "numberAvailable": available,
				"conditions": []any{
					map[string]any{"type": "Available", "status": "True"},
					map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
				},
			},
		}}
		u.SetAPIVersion("apps/v1")
		u.SetKind(id.Kind)
		k := kind.Of(id.GroupKind())
		health, message := k.Health(u)
		return &accord.Report{
			Digest: digest, Generation: 2, ObservedGeneration: seen, Observes: true, Health: health, Message: message, Status: accord.Reflect(k.Reflect(u)),
		}
	}
	c := accord.Cell{Object: id, Cluster: cluster, Want: "new", Report: live("new", 2, 2, 2)}
	switch state {
	case "rolling":
		c.Report = live("new", 2, 1, 2)
	case "older":
		c.Report = live("old", 2, 2, 2)
	case "missing":
		c.Report = nil
	case "unreachable":
		c.Unreachable = "no answer"
	case "held":
		c.Held, c.Report = "suspended", live("old", 2, 2, 2)
	case "failed":
		c.Error, c.Report = "refused", live("old", 2, 2, 2)
	}
	return c
}

// TestStatusIsTrue asks kubectl and kstatus about every combination of states of three clusters: they report done when all
// are current, and only then.
func TestStatusIsTrue(t *testing.T) {
	for _, k := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		id := manifest.ID{Group: "apps", Kind: k, Namespace: "shop", Name: "web"}
		for _, observed := range []int64{0, 4, 5} { // before; 5 is: it was done before
			for i := range len(states) * len(states) * len(states) {
				names := []string{states[i%len(states)], states[i/len(states)%len(states)], states[i/len(states)/len(states)]}
				j := aggregation{id: id, kind: kind.Of(id.GroupKind()), decision: "d", written: true, generation: 5, observed: observed}
				for n, state := range names {
					j.cells = append(j.cells, cell(id, fmt.Sprint("cluster-", n), state))
				}
				done := !slices.ContainsFunc(names, func(s string) bool { return s != "current" })
				require.Equal(t, done, reads(t, j), "%s, observed %d: %v", k, observed, names)
			}
		}
	}
}

// reads reports whether kubectl and kstatus take a mirror for done; they have to agree.
func reads(t *testing.T, j aggregation) bool {
	t.Helper()
	replicas := int64(2 * len(j.cells))
	spec := map[string]any{"replicas": replicas, "updateStrategy": map[string]any{"type": "RollingUpdate"}, "progressDeadlineSeconds": int64(600)}
	switch j.id.Kind {
	case "StatefulSet":
		spec["updateStrategy"].(map[string]any)["rollingUpdate"] = map[string]any{"partition": int64(0)}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": j.id.Name, "namespace": j.id.Namespace, "generation": j.generation},
		"spec":     spec, "status": j.status(),
	}}
	u.SetAPIVersion("apps/v1")
	u.SetKind(j.id.Kind)
	viewer, err := polymorphichelpers.StatusViewerFor(u.GroupVersionKind().GroupKind())
	require.NoError(t, err)
	_, done, err := viewer.Status(u, 0)
	require.NoError(t, err)
	result, err := status.Compute(u)
	require.NoError(t, err)
	require.Equal(t, done, result.Status == status.CurrentStatus, "kstatus says %s: %s", result.Status, result.Message)
	return done
}

func TestStatusOfARefusedTemplate(t *testing.T) {
	id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	j := aggregation{id: id, kind: kind.Of(id.GroupKind()), decision: "d", generation: 5, observed: 5, cells: []accord.Cell{cell(id, "a", "current")}}
	require.False(t, reads(t, j), "the object speaks of something older")
	j.written = true
	require.True(t, reads(t, j))
	j.cells = nil
	require.EqualValues(t, 4, j.status()["observedGeneration"], "no cluster was chosen")
}

func TestStatusOfScaledToZero(t *testing.T) {
	id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	c := cell(id, "a", "unreachable")
	c.Report.Status = accord.Reflect(map[string]any{})
	j := aggregation{id: id, kind: kind.Of(id.GroupKind()), decision: "d", written: true, generation: 5, observed: 5, cells: []accord.Cell{c}}
	require.EqualValues(t, 4, j.status()["observedGeneration"], "no count shows that nobody knows")
}

func TestStatusOfAnEndedJob(t *testing.T) {
	id := manifest.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate"}
	c := accord.Cell{Cluster: "a", Want: "new", Report: &accord.Report{Digest: "new", Health: kind.Healthy, Status: accord.Reflect(map[string]any{
		"succeeded": int64(1), "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:00:10Z",
		"conditions": []any{map[string]any{"type": "Complete", "status": "True"}},
	})}}
	j := aggregation{id: id, kind: kind.Of(id.GroupKind()), decision: "d", written: true, generation: 1, cells: []accord.Cell{c}}
	var types []any
	for _, c := range j.status()["conditions"].([]any) {
		types = append(types, c.(map[string]any)["type"])
	}
	require.Equal(t, []any{"Complete", "SuccessCriteriaMet"}, types)
	require.NotContains(t, j.status(), "observedGeneration", "a Job has none")
}

func TestContains(t *testing.T) {
	for name, c := range map[string]struct {
		live, written any
		want          bool
	}{
		"zeros are left out":       {map[string]any{}, map[string]any{"replicas": int64(0), "message": ""}, true},
		"a number of another type": {map[string]any{"replicas": 2.0}, map[string]any{"replicas": int64(2)}, true},
		"another number":           {map[string]any{"replicas": int64(3)}, map[string]any{"replicas": int64(2)}, false},
		"more than was written":    {map[string]any{"replicas": int64(2), "collisionCount": int64(1)}, map[string]any{"replicas": int64(2)}, true},
		"a condition less":         {map[string]any{"conditions": []any{}}, map[string]any{"conditions": []any{map[string]any{"type": "A"}}}, false},
		"another condition":        {map[string]any{"conditions": []any{map[string]any{"type": "B"}}}, map[string]any{"conditions": []any{map[string]any{"type": "A"}}}, false},
		"nothing at all":           {nil, map[string]any{"replicas": int64(2)}, false},
	} {
		require.Equal(t, c.want, contains(c.live, c.written), name)
	}
}
