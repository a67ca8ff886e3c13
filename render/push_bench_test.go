package render

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// BenchmarkPush builds a tree of 6,000 objects in 6,000 files again after a change of one file.
func BenchmarkPush(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 6000 {
		text := deployment(i)
		if i%2 == 0 {
			text = configMap(i)
		}
		files[fmt.Sprintf("apps/%d/%d.yaml", i%60, i)] = &fstest.MapFile{Data: []byte(text)}
	}
	memory := &Cache{}
	_, err := memory.Build(hashed{files}, Options{})
	require.NoError(b, err)
	for i := 0; b.Loop(); i++ {
		files["apps/7/7.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-7}\ndata: {key: v%d}\n", i)}
		_, err := memory.Build(hashed{files}, Options{})
		require.NoError(b, err)
	}
}
