package hunk

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the goldens")

// options are small enough for cases to show cut texts.
var options = Options{Key: []byte("of the goldens"), Limit: 600}

// TestGolden runs one change per file: a description, before.yaml, after.yaml and the hunks as text. Cases write
// passwords with "hunter", which must not be in the hunks.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, archive.Files, 3, "before.yaml, after.yaml, hunks")
			before, after := parse(t, archive.Files[0].Data), parse(t, archive.Files[1].Data)
			hunks := Compare(before, after, options)
			require.Equal(t, parse(t, archive.Files[0].Data), before, "before was changed")
			require.Equal(t, parse(t, archive.Files[1].Data), after, "after was changed")

			got := show(hunks)
			require.NotContains(t, got, "hunter")
			if *update {
				archive.Files[2].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
			require.Equal(t, string(archive.Files[2].Data), got)
			back := Compare(after, before, options)
			require.Equal(t, len(hunks) == 0, len(back) == 0)
			require.NotContains(t, show(back), "hunter")
		})
	}
}

// parse reads one object; an empty file is nil.
func parse(t testing.TB, data []byte) *unstructured.Unstructured {
	t.Helper()
	if strings.TrimSpace(string(data)) == "" {
		return nil
	}
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.UnmarshalStrict(data, &u.Object))
	return u
}

// show writes hunks as text.
func show(hunks []Hunk) string {
	signs := map[Op]string{Add: "+", Remove: "-", Replace: "~", Move: "%"}
	var b strings.Builder
	for _, h := range hunks {
		fmt.Fprintf(&b, "%s %s", signs[h.Op], h.Path)
		if h.Secret {
			b.WriteString(" (secret)")
		}
		b.WriteString("\n")
		for _, side := range []struct{ sign, text string }{{"    - ", h.Before}, {"    + ", h.After}, {"    ", h.Text}} {
			if side.text != "" {
				b.WriteString(side.sign + strings.ReplaceAll(side.text, "\n", "\n"+strings.Repeat(" ", len(side.sign))) + "\n")
			}
		}
	}
	return b.String()
}
