package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
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
	f := &reviewOptions{tree: treeFlags{repo: "https://ada:secret@git.example/team/prod", paths: []string{"."}}, base: "main"}
	require.Equal(t, "accord plan --repo https://git.example/team/prod --base main", commandLine(f.command(&pair{head: &side{}}, "")))
}
