package kind_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// TestGolden: every file is one kind. Its *.yaml are live objects, each named as a state; "health" is what is said of
// each; "aggregate" adds up those whose name begins with "cluster ", of which "(old)" ones run an older version.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		said, aggregate := "", ""
		var answers []kind.Answer
		var k kind.Kind
		for _, f := range c.Files {
			name, ok := strings.CutSuffix(f.Name, ".yaml")
			if !ok {
				continue
			}
			u := parse(t, f.Data)
			k = interpret.Of(u.GroupVersionKind().GroupKind())
			health, message := k.Health(u)
			said += strings.TrimSuffix(fmt.Sprintf("%s: %s, %s", name, health, message), ", ") + "\n"
			if strings.HasPrefix(name, "cluster ") {
				answers = append(answers, kind.Answer{Cluster: name, Current: !strings.HasSuffix(name, "(old)"), Status: k.Reflect(u)})
			}
		}
		if answers != nil {
			aggregate = inAnyOrder(t, k, answers)
		}
		c.Equal(t, "health", said)
		c.Equal(t, "aggregate", aggregate)
	})
}

// inAnyOrder aggregates, and checks that the order does not matter.
func inAnyOrder(t *testing.T, k kind.Kind, answers []kind.Answer) string {
	t.Helper()
	before, err := json.Marshal(answers)
	require.NoError(t, err)
	forth, err := json.MarshalIndent(k.Aggregate(answers), "", "  ")
	require.NoError(t, err)
	back := slices.Clone(answers)
	slices.Reverse(back)
	reversed, err := json.MarshalIndent(k.Aggregate(back), "", "  ")
	require.NoError(t, err)
	require.Equal(t, string(forth), string(reversed), "order matters")
	after, err := json.Marshal(answers)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the answers were changed")
	for _, a := range answers {
		one, err := json.Marshal(a.Status)
		require.NoError(t, err)
		require.Less(t, len(one), 600, "kept for every object and cluster")
	}
	return string(forth) + "\n"
}

func parse(t testing.TB, data []byte) *unstructured.Unstructured {
	t.Helper()
	raw, err := yaml.YAMLToJSON(data)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(raw))
	return u
}

// TestEveryKind: whatever an object looks like, every kind answers, and none is healthy while it is being deleted.
func TestEveryKind(t *testing.T) {
	for _, gk := range interpret.Kinds() {
		k := interpret.Of(gk)
		t.Run(gk.String(), func(t *testing.T) {
			require.NotNil(t, k.Health)
			require.False(t, k.Replicas == nil && k.SetReplicas != nil)
			require.Equal(t, k.Reflect == nil, k.Aggregate == nil, "what is reflected is aggregated")
			for _, odd := range []string{`{}`, `{"spec":1,"status":[]}`, `{"spec":{"replicas":"x"},"status":{"conditions":[1,{"type":1}],"loadBalancer":[]}}`} {
				u := &unstructured.Unstructured{}
				require.NoError(t, json.Unmarshal([]byte(odd), &u.Object))
				k.Health(u)
				if k.Aggregate != nil {
					k.Aggregate([]kind.Answer{{Cluster: "a", Status: k.Reflect(u)}, {Cluster: "b"}})
					k.Aggregate(nil)
				}
			}
			u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"}}}
			health, message := k.Health(u)
			require.Equal(t, kind.Progressing, health)
			require.Equal(t, "is being deleted", message)
			if k.Observes {
				u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"generation": int64(1)}}}
				health, _ := k.Health(u)
				require.Equal(t, kind.Progressing, health, "nobody has looked at it yet")
			}
		})
	}
}

func TestReplicas(t *testing.T) {
	for name, tt := range map[string]struct {
		kind, spec string
		n          int32
		counted    bool
		set        int32
		after      string
	}{
		"deployment with replicas":               {"Deployment", `{"replicas":3}`, 3, true, 2, `{"replicas":2}`},
		"deployment without, one is the default": {"Deployment", `{}`, 1, true, 1, `{}`},
		"deployment without, none is not":        {"Deployment", `{}`, 1, true, 0, `{"replicas":0}`},
		"zero replicas":                          {"Deployment", `{"replicas":0}`, 0, true, 0, `{"replicas":0}`},
		"job in parallel":                        {"Job", `{"parallelism":4}`, 4, true, 2, `{"parallelism":2}`},
		"job with fewer completions":             {"Job", `{"parallelism":4,"completions":2}`, 2, true, 1, `{"parallelism":1,"completions":2}`},
		"job without parallelism":                {"Job", `{"completions":5}`, 1, true, 1, `{"completions":5}`},
		"daemon set has no count":                {"DaemonSet", `{}`, 0, false, 0, ""},
		"unknown kind has no count":              {"Rollout", `{"replicas":3}`, 0, false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			group := "apps"
			if tt.kind == "Job" {
				group = "batch"
			}
			k := interpret.Of(schema.GroupKind{Group: group, Kind: tt.kind})
			if !tt.counted {
				require.Nil(t, k.Replicas)
				return
			}
			u := parse(t, []byte(`{"apiVersion":"v1","kind":"X","spec":`+tt.spec+`}`))
			n, ok := k.Replicas(u)
			require.True(t, ok)
			require.Equal(t, tt.n, n)
			k.SetReplicas(u, tt.set)
			after, err := json.Marshal(u.Object["spec"])
			require.NoError(t, err)
			require.JSONEq(t, tt.after, string(after))
		})
	}
	n, ok := interpret.Of(schema.GroupKind{Group: "", Kind: "Pod"}).Replicas(&unstructured.Unstructured{})
	require.True(t, ok)
	require.Equal(t, int32(1), n)
	pods.SetCount(&unstructured.Unstructured{Object: map[string]any{}}, "replicas", 2) // no spec: nothing to set, no panic
}

// TestRayServiceReplicas is Karmada §6.15: all but the head are workers, shared out in proportion, and no group gets less
// than nothing.
func TestRayServiceReplicas(t *testing.T) {
	for name, tt := range map[string]struct {
		groups string
		set    int32
		after  string
	}{
		"one group gets all":               {`[{"replicas":1}]`, 5, `[{"replicas":4}]`},
		"in proportion":                    {`[{"replicas":1},{"replicas":3}]`, 9, `[{"replicas":2},{"replicas":6}]`},
		"halves are rounded up":            {`[{"replicas":1},{"replicas":1}]`, 4, `[{"replicas":2},{"replicas":1}]`},
		"the last gives way to rounding":   {`[{"replicas":1},{"replicas":1},{"replicas":1},{"replicas":1},{"replicas":4}]`, 5, `[{"replicas":1},{"replicas":1},{"replicas":1},{"replicas":1},{"replicas":0}]`},
		"and the ones before it, if need":  {`[{"replicas":1},{"replicas":1},{"replicas":1},{"replicas":0}]`, 3, `[{"replicas":1},{"replicas":1},{"replicas":0},{"replicas":0}]`},
		"equally if there were none":       {`[{"replicas":0},{}]`, 5, `[{"replicas":2},{"replicas":2}]`},
		"none is left":                     {`[{"replicas":2},{}]`, 1, `[{"replicas":0},{}]`},
		"fewer than none are none":         {`[{"replicas":2}]`, 0, `[{"replicas":0}]`},
		"what stays the same stays absent": {`[{"replicas":2},{}]`, 3, `[{"replicas":2},{}]`},
	} {
		t.Run(name, func(t *testing.T) {
			u := parse(t, []byte(`{"apiVersion":"ray.io/v1","kind":"RayService","spec":{"rayClusterConfig":{"headGroupSpec":{},"workerGroupSpecs":`+tt.groups+`}}}`))
			interpret.Of(schema.GroupKind{Group: "ray.io", Kind: "RayService"}).SetReplicas(u, tt.set)
			after, err := json.Marshal(read.At(u.Object, "spec", "rayClusterConfig", "workerGroupSpecs"))
			require.NoError(t, err)
			require.JSONEq(t, tt.after, string(after))
			n, _ := interpret.Of(schema.GroupKind{Group: "ray.io", Kind: "RayService"}).Replicas(u)
			require.Equal(t, max(1, tt.set), n)
		})
	}
}

// TestBounded: what lists something per cluster does not outgrow its status.
func TestBounded(t *testing.T) {
	var answers []kind.Answer
	for i := range 1000 {
		host := fmt.Sprintf("lb-%d.%s.example.org", i, strings.Repeat("x", 180))
		u := &unstructured.Unstructured{Object: map[string]any{
			"spec":   map[string]any{"type": "LoadBalancer"},
			"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"hostname": host}}}},
		}}
		answers = append(answers, kind.Answer{Cluster: fmt.Sprint("c", i), Current: true, Status: interpret.Of(schema.GroupKind{Group: "", Kind: "Service"}).Reflect(u)})
	}
	raw, err := json.Marshal(interpret.Of(schema.GroupKind{Group: "", Kind: "Service"}).Aggregate(answers))
	require.NoError(t, err)
	require.LessOrEqual(t, len(raw), sum.MaxList+100)
	require.Greater(t, len(raw), sum.MaxList/2)
}

func TestNumber(t *testing.T) {
	for _, v := range []any{int64(3), float64(3), int32(3), 3} {
		n, ok := read.Number(v)
		require.True(t, ok)
		require.Equal(t, int64(3), n)
	}
	_, ok := read.Number("3")
	require.False(t, ok)
}

func TestNames(t *testing.T) {
	require.Equal(t, "a, b", sum.Names([]string{"b", "a"}))
	require.Equal(t, "a, b, c, d, e and 2 more", sum.Names([]string{"g", "f", "e", "d", "c", "b", "a"}))
}
