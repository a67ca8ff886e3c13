package interpret_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// TestCases runs every case of testdata: prose on top; customizations and health expressions; a template, a live object
// and status items; and what each script makes of them and what the Book says, last.
func TestCases(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		got := parse(t, c.Archive).outcome(t)
		c.Equal(t, "want", got)
		require.Equal(t, got, parse(t, c.Archive).outcome(t), "the same again")
	})
}

// example is one case.
type example struct {
	customizations []policy.Customization
	mistakes       []error
	expressions    []interpret.HealthExprs
	samples        interpret.Samples
}

// parse reads the parts: *.lua.yaml are customizations, cel.yaml health expressions.
func parse(t testing.TB, archive *txtar.Archive) example {
	t.Helper()
	e := example{samples: interpret.Samples{Replicas: 7}}
	for _, f := range archive.Files {
		switch {
		case strings.HasSuffix(f.Name, ".lua.yaml"):
			c, err := policy.DecodeCustomization(read(t, f.Data), f.Data, manifest.Origin{Path: f.Name, Line: 1})
			if err != nil {
				e.mistakes = append(e.mistakes, err)
				continue
			}
			e.customizations = append(e.customizations, c)
		case f.Name == "cel.yaml":
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &e.expressions))
			for i := range e.expressions {
				e.expressions[i].At = manifest.Origin{Path: f.Name}
			}
		case f.Name == "desired.yaml":
			e.samples.Desired = read(t, f.Data)
		case f.Name == "observed.yaml":
			e.samples.Observed = read(t, f.Data)
		case f.Name == "items.yaml":
			items := read(t, append([]byte("items:\n"), f.Data...)).Object["items"].([]any)
			for _, item := range items {
				e.samples.Items = append(e.samples.Items, item.(map[string]any))
			}
		default:
			require.Equal(t, "want", f.Name)
		}
	}
	return e
}

func read(t testing.TB, text []byte) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	if json.Unmarshal(encoded, &u.Object) == nil && u.Object["kind"] != nil {
		require.NoError(t, u.UnmarshalJSON(encoded)) // with whole numbers as int64, as objects from Git have them
	}
	return u
}

// outcome is what a person reads.
func (e example) outcome(t testing.TB) string {
	var b strings.Builder
	for _, c := range e.customizations {
		fmt.Fprintf(&b, "# %s\n", c.Title())
		for _, o := range interpret.Run(c, e.samples) {
			fmt.Fprintln(&b, o)
		}
	}
	book, err := interpret.New(e.customizations, e.expressions)
	for _, mistake := range append(e.mistakes, err) {
		if mistake != nil {
			fmt.Fprintf(&b, "# mistake\n%v\n", mistake)
		}
	}
	slices.Reverse(e.customizations)
	_, again := interpret.New(e.customizations, e.expressions)
	require.Equal(t, fmt.Sprint(err), fmt.Sprint(again), "the order in which they are given does not matter")
	fmt.Fprintln(&b, "# the book")
	e.ask(t, &b, book)
	return b.String()
}

// ask asks a book all there is to ask about the samples.
func (e example) ask(t testing.TB, b *strings.Builder, book *interpret.Book) {
	if u := e.samples.Desired; u != nil {
		k := book.Of(u.GroupVersionKind().GroupKind())
		before := u.DeepCopy()
		tell(t, b, k, u)
		for _, err := range book.Check(u) {
			fmt.Fprintf(b, "check: %v\n", err)
		}
		components, err := book.Components(u)
		require.True(t, err == nil || components == nil)
		for _, c := range components {
			fmt.Fprintf(b, "component: %s, %d replicas\n", c.Name, c.Replicas)
		}
		require.Equal(t, before, u, "asking changed it")
		if k.SetReplicas != nil {
			k.SetReplicas(u, 5)
			if n, ok := k.Replicas(u); ok {
				fmt.Fprintf(b, "replicas set to 5: %d\n", n)
			}
			*u = *before
		}
	}
	if u := e.samples.Observed; u != nil {
		k := book.Of(u.GroupVersionKind().GroupKind())
		health, why := k.Health(u)
		fmt.Fprintf(b, "health: %s, %s\n", health, why)
		if k.Reflect == nil {
			return
		}
		kept := k.Reflect(u)
		fmt.Fprintf(b, "reflected: %s\n", asJSON(t, kept))
		if k.Aggregate != nil {
			answers := []kind.Answer{{Cluster: "b", Current: true, Status: kept}, {Cluster: "c"}, {Cluster: "a", Current: true, Status: kept}}
			fmt.Fprintf(b, "aggregate of a and b: %s\n", asJSON(t, k.Aggregate(answers)))
			fmt.Fprintf(b, "aggregate of none: %s\n", asJSON(t, k.Aggregate(nil)))
		}
	}
}

func tell(t testing.TB, b *strings.Builder, k kind.Kind, u *unstructured.Unstructured) {
	if k.Replicas != nil {
		n, ok := k.Replicas(u)
		fmt.Fprintf(b, "replicas: %d %v\n", n, ok)
	}
	if k.Requirements != nil {
		requests := k.Requirements(u)
		for _, name := range slices.Sorted(maps.Keys(requests)) {
			q := requests[name]
			fmt.Fprintf(b, "requests: %s %s\n", name, q.String())
		}
	}
	if k.Dependencies != nil {
		for _, ref := range k.Dependencies(u) {
			fmt.Fprintf(b, "dependency: %s %s\n", ref, asJSON(t, ref.Labels))
		}
	}
}

func asJSON(t testing.TB, v any) string {
	encoded, err := json.Marshal(v)
	require.NoError(t, err)
	return string(encoded)
}
