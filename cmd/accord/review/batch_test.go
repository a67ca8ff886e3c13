package review

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/load"
)

// TestReviewsShareTheStates: a repository is opened once, and one review never changes what the next one reads.
func TestReviewsShareTheStates(t *testing.T) {
	t.Setenv("ACCORD_KUBECONFIG", "")
	e := newEdited(t)
	f := &Options{}
	c := &cobra.Command{}
	f.Register(c)
	require.NoError(t, c.ParseFlags([]string{"--cache-dir", t.TempDir(), "--base", "HEAD"}))
	end, err := f.open(t.Context(), e.dir)
	require.NoError(t, err)
	defer end()
	first, h, err := f.states(t.Context(), e.dir, &load.Builds{})
	require.NoError(t, err)
	first.notes, first.base.paths, first.head.federation = append(first.notes, "a note"), []string{"apps"}, nil
	first.end() // the next review still reads the working tree

	next := f.of("", nil)
	second, again, err := next.states(t.Context(), e.dir, &load.Builds{})
	require.NoError(t, err)
	require.Same(t, h, again)
	require.True(t, first.base.Files == second.base.Files && first.head.Files == second.head.Files, "each review has opened the commits")
	require.NotContains(t, second.notes, "a note")
	require.Empty(t, second.base.paths)
	var stderr bytes.Buffer
	r, err := f.Run(t.Context(), e.dir, &stderr)
	require.NoError(t, err)
	require.Equal(t, edits, len(r.tree.Input.Objects))
}
