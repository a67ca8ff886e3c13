package phrase

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHostileCharacters escapes characters that a terminal interprets, that reverse text, or that nobody sees.
func TestHostileCharacters(t *testing.T) {
	for _, c := range []struct{ text, printable, line string }{
		{"Äther 日本\u00a0✔", "Äther 日本\u00a0✔", "Äther 日本\u00a0✔"},
		{"a\tb", "a\tb", "a b"},
		{"a\x1b[2Jb", `a\u001b[2Jb`, `a\u001b[2Jb`},
		{"a\u009b2Jb", `a\u009b2Jb`, `a\u009b2Jb`},
		{"a\x7f\x00b", `a\u007f\u0000b`, `a\u007f\u0000b`},
		{"a\u202eb\u2066c\u2069", `a\u202eb\u2066c\u2069`, `a\u202eb\u2066c\u2069`},
		{"a\u200bb\u200dc\ufeff", `a\u200bb\u200dc\ufeff`, `a\u200bb\u200dc\ufeff`},
		{"a\u2028b", `a\u2028b`, `a\u2028b`},
		{"a\U000e0041b", `a\udb40\udc41b`, `a\udb40\udc41b`},
		{"a\xffb", "a\ufffdb", "a\ufffdb"},
		{"failed:\r\n  READY 30/30\n", `failed:\u000d\u000a  READY 30/30\u000a`, "failed: READY 30/30"},
	} {
		require.Equal(t, c.printable, Printable(c.text))
		require.Equal(t, c.line, Line(c.text))
		require.Equal(t, c.line, Line(c.line), "not idempotent")
	}
	var back string
	require.NoError(t, json.Unmarshal([]byte(`"`+Escape("\x1b\u202e\U000e0041", "")+`"`), &back))
	require.Equal(t, "\x1b\u202e\U000e0041", back)
	require.Equal(t, "a\nb\u200b", Escape("a\nb\u200b", "\n\u200b"))
}
