package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefectF19ProgressIsOneLineOfATerminal: a log gets nothing, and a terminal one line that disappears at the end.
func TestDefectF19ProgressIsOneLineOfATerminal(t *testing.T) {
	log := &strings.Builder{}
	l := NewProgressLine(log, "fetching")
	l.Start()
	l.Describe("planning")
	l.Set(1, 2)
	l.End()
	require.False(t, l.Visible())
	require.Empty(t, log.String())
	require.False(t, NewProgressLine(nil, "fetching").Visible())

	screen := &strings.Builder{}
	l = &ProgressLine{out: screen, step: "fetching"}
	l.Start()
	require.Contains(t, screen.String(), "fetching")
	l.Describe("comparing")
	l.Set(1, 2)
	l.End()
	require.Contains(t, screen.String(), "comparing")
	require.Contains(t, screen.String(), "1/2")
	require.NotContains(t, screen.String(), "\n")
	require.True(t, strings.HasSuffix(strings.TrimRight(screen.String(), " "), "\r"), "%q", screen.String())
}
