package status

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShorten(t *testing.T) {
	for name, tt := range map[string]struct{ s, want string }{
		"short":                    {"fits", "fits"},
		"exactly":                  {strings.Repeat("x", 20), strings.Repeat("x", 20)},
		"one too many":             {strings.Repeat("x", 21), strings.Repeat("x", 17) + "..."},
		"between characters":       {strings.Repeat("\u00fc", 11), strings.Repeat("\u00fc", 8) + "..."},
		"quotes count twice":       {"\"\"" + strings.Repeat("x", 17), "\"\"" + strings.Repeat("x", 13) + "..."},
		"hostile lines":            {"a\n\x1b[2J\r\n30/30", `a \u001b[2J 30/30`},
		"hostile direction":        {"a\u202eb\u200b", `a\u202eb\u200b`},
		"brackets count six times": {"<nil>!?!?!?", "<nil>!?..."},
		"what is no character":     {"a\xff\xfeb", "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			got := shorten(tt.s, 20)
			require.Equal(t, tt.want, got)
			require.Equal(t, got, shorten(got, 20), "not idempotent")
			stored, err := json.Marshal(got)
			require.NoError(t, err)
			require.LessOrEqual(t, len(stored), 20+len(`""`))
			var back string
			require.NoError(t, json.Unmarshal(stored, &back))
			require.Equal(t, got, back)
		})
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("plain", 20)
	f.Add("<\x00\xff\u2028\"", 20)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = 3 + (n&0x7fffffff)%300
		stored, err := json.Marshal(shorten(s, n))
		require.NoError(t, err)
		require.LessOrEqual(t, len(stored), n+len(`""`))
	})
}
