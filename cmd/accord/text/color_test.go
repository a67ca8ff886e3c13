package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefectF19VerdictsHaveColors(t *testing.T) {
	const line = "shop @ 4f2c9e1   READY  3/3 clusters healthy\n12:00:00  HELD  shop @ 4f2c9e1  applied 1/3\n"
	for when, want := range map[string]string{
		"never": line, "auto": line, // a builder is no terminal
		"always": "shop @ 4f2c9e1   \x1b[32m✔ READY\x1b[0m  3/3 clusters healthy\n12:00:00  \x1b[33m‖ HELD\x1b[0m  shop @ 4f2c9e1  applied 1/3\n",
	} {
		f := &ColorFlag{}
		require.NoError(t, f.Set(when))
		out := &strings.Builder{}
		_, err := f.Writer(out, AsText).Write([]byte(line))
		require.NoError(t, err)
		require.Equal(t, want, out.String(), when)
	}
	require.ErrorContains(t, (&ColorFlag{}).Set("blue"), "expected one of auto, always, never")
}
