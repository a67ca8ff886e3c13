package text

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

// codes match what a terminal does not show.
var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestDefectF19StatesHaveColors writes the output of commands with colors. <33 is the begin of a color, > its end.
func TestDefectF19StatesHaveColors(t *testing.T) {
	golden.Run(t, "testdata/defect-f19-*.txtar", func(t *testing.T, c *golden.Case) {
		plain := string(c.Part("plain"))
		for _, when := range []string{"never", "auto"} { // a builder is no terminal
			require.Equal(t, plain, written(t, when, plain))
		}
		shown := written(t, "always", plain)
		c.Equal(t, "always", strings.NewReplacer("\x1b[0m", ">", "\x1b[", "<").Replace(shown))
		var was, is []int
		for line := range strings.Lines(plain) {
			was = append(was, len([]rune(line)))
		}
		for line := range strings.Lines(codes.ReplaceAllString(shown, "")) {
			is = append(is, len([]rune(line)))
		}
		for i := range was {
			require.Contains(t, []int{0, 2}, is[i]-was[i], "only a symbol has a width")
		}
	})
}

func written(t *testing.T, when, plain string) string {
	f := &ColorFlag{}
	require.NoError(t, f.Set(when))
	out := &strings.Builder{}
	_, err := f.Writer(out, AsText).Write([]byte(plain))
	require.NoError(t, err)
	return out.String()
}

func TestDefectF19ColorFollowsTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		when     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"auto", true, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
	} {
		f := &ColorFlag{}
		require.NoError(t, f.Set(c.when))
		require.Equal(t, c.want, f.colors(c.terminal, func(name string) string { return c.env[name] }), "%+v", c)
	}
	require.ErrorContains(t, (&ColorFlag{}).Set("blue"), "expected one of auto, always, never")
	f := &ColorFlag{when: "always"}
	out := &strings.Builder{}
	require.Equal(t, out, f.Writer(out, AsJSON), "programs read the other formats")
}
