package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// joins is a line that joins or revokes a member by its context. The README joins the context kind-eu-1, which is the member eu-1.
var joins = regexp.MustCompile(`(?m)accord (?:join|leave) .*--member-context (?:kind-)?([a-z0-9-]+)`)

// TestOneScriptJoinsAMember: scripts run at the same time and share members, and each join ends the token of the join before.
func TestOneScriptJoinsAMember(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	scriptOf := map[string]string{}
	for _, script := range scripts {
		text := read(t, script)
		if filepath.Base(script) == "readme.txtar" {
			text += read(t, "../../README.md")
		}
		for _, found := range joins.FindAllStringSubmatch(text, -1) {
			other, ok := scriptOf[found[1]]
			require.True(t, !ok || other == script || found[1] == "nowhere", "%s and %s join the member %s: use another member in one of them", script, other, found[1])
			scriptOf[found[1]] = script
		}
	}
	require.Contains(t, scriptOf, "eu-1")
	require.Contains(t, scriptOf, "join-1")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
