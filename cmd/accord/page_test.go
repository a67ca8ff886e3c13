package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/internal/golden"
)

// TestSamplesOfPages compares samples in docs with the output that scripts expect.
func TestSamplesOfPages(t *testing.T) {
	script, err := txtar.ParseFile("testdata/script/plan.txtar")
	require.NoError(t, err)
	for _, file := range script.Files {
		if file.Name == "want.text" {
			_, after, found := strings.Cut(string(file.Data), "policies.yaml, web.yaml\n")
			require.True(t, found)
			review, _, found := strings.Cut(after, "\n#1 ")
			require.True(t, found)
			golden.Quote(t, "../../docs/how-to/plan.md", review)
			return
		}
	}
	t.Fatal("the script has no want.text")
}

// TestInstalledReplicas: the manifests of accord install are those that docs/how-to/scale.md describes.
func TestInstalledReplicas(t *testing.T) {
	require.Contains(t, installManifests, "\n  replicas: 2\n")
	golden.Quote(t, "../../docs/how-to/scale.md", "`accord install` prints two replicas")
}
