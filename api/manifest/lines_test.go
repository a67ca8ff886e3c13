package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

func TestLines(t *testing.T) {
	lines := manifest.LinesOf([]byte(`# a comment
base: &base
  color: blue
  size: 1
spec:
  rules:
  - name: a
    value: 1

  - name: b
  all:
    <<: *base
    size: 2
  again: *base
`), 100)
	origin := manifest.Origin{Path: "a.yaml", Line: 100}
	for field, at := range map[string]manifest.Position{
		"spec": {104, 1}, "spec.rules": {105, 3}, "spec.rules[0]": {106, 5}, "spec.rules[0].value": {107, 5}, "spec.rules[1].name": {109, 5},
		"spec.all.color": {102, 3}, "spec.all.size": {112, 5}, "spec.again": {113, 3}, "spec.again.color": {102, 3},
		"spec.rules[1].missing.deeper": {109, 5}, "spec.rules[7]": {105, 3}, "unknown": {100, 0}, "": {100, 0},
	} {
		require.Equal(t, manifest.Origin{Path: "a.yaml", Line: at.Line, Column: at.Column}, lines.At(origin, field), field)
	}
}

// TestColumnsCountCharacters, not bytes: an editor shows them that way.
func TestColumnsCountCharacters(t *testing.T) {
	lines := manifest.LinesOf([]byte(`{"äö": {"name": "ü", "list": [1, {"a": 2}]}}`), 7)
	require.Equal(t, manifest.Position{Line: 7, Column: 9}, lines["äö.name"])
	require.Equal(t, manifest.Position{Line: 7, Column: 22}, lines["äö.list"])
	require.Equal(t, manifest.Position{Line: 7, Column: 35}, lines["äö.list[1].a"])
}

func TestLinesAreNotKnown(t *testing.T) {
	require.Nil(t, manifest.LinesOf(nil, 1))
	require.Nil(t, manifest.LinesOf([]byte("a: 1"), 0))
	require.Nil(t, manifest.LinesOf([]byte("a: b: c"), 1))
	require.Nil(t, manifest.LinesOf([]byte("# nothing"), 1))
	require.Nil(t, manifest.Lines(nil).Copied("a", "b"))
	require.Equal(t, manifest.Origin{Path: "x"}, manifest.Lines(nil).At(manifest.Origin{Path: "x"}, "spec.a"))
}

func TestLinesOfMovedFields(t *testing.T) {
	lines := manifest.LinesOf([]byte("old:\n  a: 1\n  b: [2]\nolder: 3\n"), 1).Copied("old", "new[0].it")
	require.Equal(t, manifest.Position{Line: 1, Column: 1}, lines["new[0].it"])
	require.Equal(t, manifest.Position{Line: 2, Column: 3}, lines["new[0].it.a"])
	require.Equal(t, manifest.Position{Line: 3, Column: 7}, lines["new[0].it.b[0]"])
	require.Equal(t, manifest.Position{Line: 2, Column: 3}, lines["old.a"])
	require.NotContains(t, lines, "new[0].iter")
}

// TestLinesAreBounded: ten aliases of ten aliases are a small file and would be ten billion lines.
func TestLinesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		alias := "*a" + string(rune('0'+i))
		b.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat(alias+", ", 9) + alias + "]\n")
	}
	require.LessOrEqual(t, len(manifest.LinesOf([]byte(b.String()), 1)), 100_010)
}
