package override

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

var update = flag.Bool("update", false, "rewrite the wanted output of the golden files")

// TestApply runs every testdata/*.txtar: prose, cluster.yaml, object.yaml, overrides.yaml and "want", which is the
// object and the edits, or the error. Every case runs with the overrides in both orders.
func TestApply(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			require.Len(t, archive.Files, 4)
			var c fleet.Cluster
			require.NoError(t, yaml.UnmarshalStrict(archive.Files[0].Data, &c))
			overrides := decode(t, archive.Files[2].Data)
			got := outcome(t, archive.Files[1].Data, c, overrides)
			slices.Reverse(overrides)
			require.Equal(t, got, outcome(t, archive.Files[1].Data, c, overrides), "the order of the overrides matters")
			if *update {
				archive.Files[3].Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
			}
			require.Equal(t, string(archive.Files[3].Data), got)
		})
	}
}

// decode reads override policies; one has the number of its document for a line.
func decode(t testing.TB, data []byte) []policy.Override {
	var overrides []policy.Override
	for i, text := range bytes.Split(data, []byte("---\n")) {
		var doc struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
			Spec     policy.OverrideSpec
		}
		require.NoError(t, yaml.UnmarshalStrict(text, &doc))
		require.Equal(t, doc.Kind == "ClusterOverridePolicy", doc.Metadata.Namespace == "")
		overrides = append(overrides, policy.Override{
			Meta: policy.Meta{
				Namespace: doc.Metadata.Namespace, Name: doc.Metadata.Name,
				Origin: manifest.Origin{Path: "overrides.yaml", Line: i + 1},
			},
			Spec: doc.Spec,
		})
	}
	return overrides
}

func object(t testing.TB, text []byte) *unstructured.Unstructured {
	data, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal(data, &u.Object))
	return u
}

func outcome(t *testing.T, text []byte, c fleet.Cluster, overrides []policy.Override) string {
	u := object(t, text)
	edits, err := Apply(u, c, overrides)
	if err != nil {
		require.Nil(t, edits)
		return "error\n" + err.Error() + "\n"
	}
	out, err := yaml.Marshal(u.Object)
	require.NoError(t, err)
	for _, e := range edits {
		out = fmt.Appendf(out, "# %s %s %s\n", e.At, e.Policy, e.Path)
	}
	return string(out)
}
