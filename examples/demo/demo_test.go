package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDemo plays each example: every step checks for itself that what was pushed is what runs, that clusters are held
// that are to be, and that waiting ends when it has to and no earlier.
func TestDemo(t *testing.T) {
	t.Chdir("../..")
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			require.NoError(t, run(t.Context(), e.name, false))

			left, err := os.ReadDir(os.Getenv("TMPDIR"))
			require.NoError(t, err)
			for _, entry := range left {
				require.NotContains(t, filepath.Base(entry.Name()), "accord-demo", "the demo leaves nothing behind")
			}
		})
	}
}
