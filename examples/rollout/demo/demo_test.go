package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDemo plays the whole example: every step checks for itself that what was pushed is what runs, that held clusters
// are held, and that kubectl wait returns when the last cluster is done and no earlier.
func TestDemo(t *testing.T) {
	t.Chdir("../../..")
	t.Setenv("TMPDIR", t.TempDir())
	require.NoError(t, run(t.Context(), false))

	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	for _, entry := range left {
		require.NotContains(t, filepath.Base(entry.Name()), "accord-demo", "the demo leaves nothing behind")
	}
}
