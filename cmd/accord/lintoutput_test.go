package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate"
)

func TestGitHubAnnotation(t *testing.T) {
	for _, c := range []struct {
		state string
		line  lintLine
		want  string
	}{
		{"a field", lintLine{Severity: propagate.Error, Code: "invalid", Path: "a.yaml", Line: 3, Column: 5, Message: "wrong"},
			"::error file=prod/a.yaml,line=3,col=5,title=invalid::wrong"},
		{"a manifest", lintLine{Severity: propagate.Warning, Code: "c", Path: "a.yaml", Line: 3, Message: "m"}, "::warning file=prod/a.yaml,line=3,title=c::m"},
		{"no line is known", lintLine{Severity: propagate.Note, Code: "c", Path: "a.yaml", Column: 5, Message: "m"}, "::notice file=prod/a.yaml,title=c::m"},
		{"no place at all", lintLine{Severity: propagate.Error, Code: "c", Message: "m"}, "::error title=c::m"},
		{"with a fix", lintLine{Severity: propagate.Error, Code: "c", Message: "m", Fix: "write x"}, "::error title=c::m%0AFix: write x"},
		{"what would end the command", lintLine{Severity: propagate.Error, Code: "c", Path: "a,b:c%\n.yaml", Message: "50%\r\n::error::no, it: goes on"},
			"::error file=prod/a%2Cb%3Ac%25%0A.yaml,title=c::50%25%0D%0A::error::no, it: goes on"},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, c.line.github(&tree{dir: "prod"})) })
	}
}

func TestSARIFPlace(t *testing.T) {
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	for _, c := range []struct{ state, dir, path, want string }{
		{"below the directory", "prod", "a/b.yaml", "prod/a/b.yaml"},
		{"in the directory itself", "", "a.yaml", "a.yaml"},
		{"a directory by its whole path", filepath.Join(here, "prod"), "a.yaml", "prod/a.yaml"},
		{"elsewhere", "/srv/prod", "a.yaml", "/srv/prod/a.yaml"},
		{"what a reference has other uses for", "", "a b#c?d.yaml", "a%20b%23c%3Fd.yaml"},
		{"what looks like a scheme", "", "a:b.yaml", "./a:b.yaml"},
		{"no file", "prod", "", "."},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, lintLine{Path: c.path}.uri(&tree{dir: c.dir})) })
	}
	require.Nil(t, lintLine{Path: "a.yaml"}.region())
	require.Equal(t, jsonObject{"startLine": 2}, lintLine{Line: 2}.region())
}
