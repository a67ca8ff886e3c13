package decode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
)

// BenchmarkSort sorts 6,000 objects that were sorted before.
func BenchmarkSort(b *testing.B) {
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, "-- %d.yaml --\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web-%d, namespace: shop}}\n", i, i)
	}
	tree, err := txtar.FS(txtar.Parse([]byte(text.String())))
	require.NoError(b, err)
	objects, err := render.Build(tree, render.Options{})
	require.NoError(b, err)
	var sorter decode.Sorter
	b.ReportAllocs()
	for b.Loop() {
		_, err := sorter.Sort(objects)
		require.NoError(b, err)
	}
}
