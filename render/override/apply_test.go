package override

import (
	"bytes"
	"cmp"
	gojson "encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
)

// TestApply runs testdata/*.txtar: a description, cluster.yaml, object.yaml, overrides.yaml and "want": the object and
// the edits, or the error. Every case runs with the overrides in both orders.
func TestApply(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, g *golden.Case) {
		var c fleet.Cluster
		require.NoError(t, yaml.UnmarshalStrict(g.Part("cluster.yaml"), &c))
		overrides, err := decode(t, g.Part("overrides.yaml"))
		var got string
		if err != nil {
			got = fmt.Sprintf("error\n%v\n", err)
		} else {
			got = outcome(t, g.Part("object.yaml"), c, overrides)
			slices.Reverse(overrides)
			require.Equal(t, got, outcome(t, g.Part("object.yaml"), c, overrides), "the order of the overrides matters")
		}
		g.Equal(t, "want", got)
	})
}

// decode decodes overrides.yaml and returns an error for the first mistake in a policy.
func decode(t testing.TB, data []byte) ([]*policy.Override, error) {
	var overrides []*policy.Override
	line := 1
	for text := range bytes.SplitSeq(data, []byte("---\n")) {
		o, err := policy.DecodeOverride(object(t, text), text, manifest.Origin{Path: "overrides.yaml", Line: line})
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, o)
		line += bytes.Count(text, []byte("\n")) + 1
	}
	return overrides, nil
}

func object(t testing.TB, text []byte) *unstructured.Unstructured {
	data, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(data, &u.Object))
	return u
}

// outcome returns the result of Apply and the steps of Trace, which must agree.
func outcome(t *testing.T, text []byte, c fleet.Cluster, overrides []*policy.Override) string {
	u, traced := object(t, text), object(t, text)
	edits, err := Apply(u, c, overrides)
	steps, errTraced := Trace(traced, c, overrides)
	require.Equal(t, err, errTraced)
	var out []byte
	if err == nil {
		require.Equal(t, u, traced)
		require.Equal(t, edits, editsOf(steps))
		out, err = yaml.Marshal(u.Object)
		require.NoError(t, err)
	} else {
		require.Nil(t, edits)
		out = fmt.Appendf(out, "error\n%v\n", err)
	}
	for _, s := range steps {
		require.True(t, strings.HasPrefix(s.Field, s.Rule+".overriders."))
		out = fmt.Appendf(out, "# %s %s %s: %s: %s\n", s.At, s.Policy, cmp.Or(s.Path, "-"), s.Operation, effect(t, s))
	}
	return string(out)
}

func editsOf(steps []Step) []Edit {
	var edits []Edit
	for _, s := range steps {
		if s.Changed {
			edits = append(edits, s.Edit)
		}
	}
	return edits
}

// effect formats a step as one line.
func effect(t *testing.T, s Step) string {
	if !s.Changed {
		require.Equal(t, s.Before, s.After)
		return "nothing changed"
	}
	text := quoted(t, s.Before) + " -> " + quoted(t, s.After)
	if len(s.Lost) > 0 {
		text += " (lost " + strings.Join(s.Lost, ", ") + ")"
	}
	return text
}

// quoted returns a value as JSON without HTML escapes.
func quoted(t *testing.T, value any) string {
	var b strings.Builder
	enc := gojson.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(value))
	return strings.TrimSuffix(b.String(), "\n")
}
