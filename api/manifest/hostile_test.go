package manifest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

// TestLinesBelowALongKey: every path has the keys above it, so a long one above many must not be kept for each.
func TestLinesBelowALongKey(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "first: 1\n? %s\n:\n", strings.Repeat("k", 1<<20))
	for i := range 10_000 {
		fmt.Fprintf(&b, "  k%d: 1\n", i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := manifest.LinesOf([]byte(b.String()), 1)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20))
	require.Equal(t, 1, lines.At(manifest.Origin{Path: "a.yaml"}, "first").Line)
}

// The error of a manifest with very many mistakes lists a hundred of them.
func TestMistakesAreCounted(t *testing.T) {
	text := "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n"
	for i := range 5000 {
		text += fmt.Sprintf("  wrong%d: 1\n", i)
	}
	_, doc := decode(t, text)
	lines := strings.Split(doc.Err().Error(), "\n")
	require.Len(t, lines, 101)
	require.Equal(t, "a.yaml:10: has 100 mistakes or more; the rest of it was not read", lines[100])
}
