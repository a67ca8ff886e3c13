package kind_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// TestAggregateIsAFunction: the aggregate of every kind depends on what the clusters say and on nothing else, neither on
// the order of the answers nor on what was said before (B29), and is a status as the API server takes it.
func TestAggregateIsAFunction(t *testing.T) {
	for gk, answers := range fromAllCases(t) {
		t.Run(gk.String(), func(t *testing.T) {
			k := interpret.Of(gk)
			first := k.Aggregate(answers)
			sound(t, first)
			want, err := json.Marshal(first)
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				random.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
				got, err := json.Marshal(k.Aggregate(answers))
				require.NoError(t, err)
				require.Equal(t, string(want), string(got))
			}
		})
	}
}

// sound: no status of its own about generations (rule 2 counts those for all kinds), every condition once and whole.
func sound(t *testing.T, total map[string]any) {
	t.Helper()
	runtime.DeepCopyJSON(total) // panics at what is no JSON
	require.NotContains(t, total, "observedGeneration")
	seen := map[string]bool{}
	for _, c := range read.Objects(total, "conditions") {
		typ := read.Text(c, "type")
		require.NotEmpty(t, typ)
		require.False(t, seen[typ], "%s twice", typ)
		seen[typ] = true
		require.Contains(t, []string{"True", "False", "Unknown"}, c["status"])
		require.NotEmpty(t, c["reason"])
		require.NotEmpty(t, c["message"])
	}
}

// TestAggregateIsBounded: a thousand clusters do not make it a thousand times as long.
func TestAggregateIsBounded(t *testing.T) {
	for gk, answers := range fromAllCases(t) {
		var many []kind.Answer
		for i := range 1000 {
			a := answers[i%len(answers)]
			a.Cluster = fmt.Sprintf("%s-%d", strings.Repeat("c", 50), i)
			many = append(many, a)
		}
		raw, err := json.Marshal(interpret.Of(gk).Aggregate(many))
		require.NoError(t, err)
		require.Less(t, len(raw), 8<<10, gk)
	}
}

// TestGroupsAreBounded: neither what is kept of a cluster nor the sum of clusters that all have other groups of pods
// grows without end.
func TestGroupsAreBounded(t *testing.T) {
	volcanoJob, maxGroups := interpret.Of(schema.GroupKind{Group: "batch.volcano.sh", Kind: "Job"}), 8
	var answers []kind.Answer
	for cluster := range 10 {
		tasks := map[string]any{}
		for i := range 100 {
			tasks[fmt.Sprintf("task-%d-%02d", cluster, i)] = map[string]any{"phase": map[string]any{"Running": int64(1)}}
		}
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"taskStatusCount": tasks}}}
		kept := volcanoJob.Reflect(u)
		require.Len(t, kept["taskStatusCount"], maxGroups)
		answers = append(answers, kind.Answer{Cluster: fmt.Sprint(cluster), Status: kept})
	}
	require.Len(t, volcanoJob.Aggregate(answers)["taskStatusCount"], maxGroups)
}

// TestRegistryIsNotWaitedFor: a HelmRepository in a registry never reports what it has observed, so that no report is
// no reason to wait.
func TestRegistryIsNotWaitedFor(t *testing.T) {
	require.False(t, interpret.Of(schema.GroupKind{Group: "source.toolkit.fluxcd.io", Kind: "HelmRepository"}).Observes)
	require.True(t, interpret.Of(schema.GroupKind{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository"}).Observes)
}

// TestEveryKindHasACase: what adds up is shown adding up.
func TestEveryKindHasACase(t *testing.T) {
	shown := map[schema.GroupKind]bool{}
	for _, u := range examples(t) {
		shown[u.GroupVersionKind().GroupKind()] = true
	}
	for _, gk := range interpret.Kinds() {
		require.True(t, shown[gk], "%s is in no file of testdata", gk)
	}
}

// fromAllCases are, for each kind that adds up, the answers that the objects of all test cases make, from a cluster each; every
// other one runs an older version, and one more cluster says nothing.
func fromAllCases(t *testing.T) map[schema.GroupKind][]kind.Answer {
	t.Helper()
	all := map[schema.GroupKind][]kind.Answer{}
	for _, gk := range interpret.Kinds() {
		k := interpret.Of(gk)
		if k.Aggregate != nil {
			all[gk] = []kind.Answer{{Cluster: "silent"}}
		}
	}
	for _, u := range examples(t) {
		gk := u.GroupVersionKind().GroupKind()
		if k := interpret.Of(gk); k.Aggregate != nil {
			n := len(all[gk])
			all[gk] = append(all[gk], kind.Answer{Cluster: fmt.Sprintf("c%02d", n), Current: n%2 == 0, Status: k.Reflect(u)})
		}
	}
	return all
}
