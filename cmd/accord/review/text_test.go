package review

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
)

func TestTextIsReadWithoutScrolling(t *testing.T) {
	text := hostileReview(len(hostile)).text()
	require.True(t, strings.HasPrefix(text, "12 objects in 30 of 31 clusters affected, 12 distinct changes\n"))
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 120, line)
	}
	require.NotRegexp(t, `[\x00-\x08\x0b-\x1f]`, text, "a terminal would obey it")
	require.Contains(t, text, "eu-1, eu-2")
}

func TestCommandHasNoPassword(t *testing.T) {
	f := &Options{Tree: load.Flags{Repo: "https://ada:secret@git.example/team/prod", Paths: []string{"."}}, Base: "main"}
	require.Equal(t, "accord plan --repo https://git.example/team/prod --base main", text.CommandLine(f.command(&comparison{head: &side{}}, "")))
}
