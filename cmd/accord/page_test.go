package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/charts"
	"github.com/accord-dev/accord/internal/golden"
)

// TestSamplesOfPages compares samples in docs with the output that scripts expect.
func TestSamplesOfPages(t *testing.T) {
	for _, sample := range []struct{ script, file, begin, end, page string }{
		{"plan", "want.text", "policies.yaml, web.yaml\n", "\n#1 ", "how-to/plan.md"},
		{"planoutage", "timeline.text", "\n\n", "", "failover.md"},
	} {
		script, err := txtar.ParseFile("testdata/script/" + sample.script + ".txtar")
		require.NoError(t, err)
		i := slices.IndexFunc(script.Files, func(f txtar.File) bool { return f.Name == sample.file })
		require.GreaterOrEqual(t, i, 0)
		_, text, found := strings.Cut(string(script.Files[i].Data), sample.begin)
		require.True(t, found)
		if sample.end != "" {
			text, _, found = strings.Cut(text, sample.end)
			require.True(t, found)
		}
		for part := range strings.SplitSeq(text, "\n\n") {
			golden.Quote(t, "../../docs/"+sample.page, part)
		}
	}
}

// TestInstalledReplicas: the manifests of accord install are those that docs/how-to/scale.md describes.
func TestInstalledReplicas(t *testing.T) {
	v, err := charts.Defaults()
	require.NoError(t, err)
	require.Equal(t, 2, v.Replicas)
	golden.Quote(t, "../../docs/how-to/scale.md", "`accord install` prints two replicas")
}
