package hunk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
)

// options are small enough for cases to show cut texts.
var options = Options{Key: []byte("of the goldens"), Limit: 600}

// TestGolden runs one change per file: a description, before.yaml, after.yaml and the hunks as text. Cases write
// passwords with "hunter", which must not be in the hunks.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		before, after := parse(t, c.Part("before.yaml")), parse(t, c.Part("after.yaml"))
		hunks := Compare(before, after, options)
		require.Equal(t, parse(t, c.Part("before.yaml")), before, "before was changed")
		require.Equal(t, parse(t, c.Part("after.yaml")), after, "after was changed")

		got := show(hunks)
		require.NotContains(t, got, "hunter")
		c.Equal(t, "hunks", got)
		back := Compare(after, before, options)
		require.Equal(t, len(hunks) == 0, len(back) == 0)
		require.NotContains(t, show(back), "hunter")
	})
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
