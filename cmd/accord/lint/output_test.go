package lint

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
)

func TestGitHubAnnotation(t *testing.T) {
	for _, c := range []struct {
		state string
		line  Finding
		want  string
	}{
		{"a field", Finding{Severity: propagate.Error, Code: "invalid", Path: "a.yaml", Line: 3, Column: 5, Message: "wrong"},
			"::error file=prod/a.yaml,line=3,col=5,title=invalid::wrong"},
		{"a manifest", Finding{Severity: propagate.Warning, Code: "c", Path: "a.yaml", Line: 3, Message: "m"}, "::warning file=prod/a.yaml,line=3,title=c::m"},
		{"no line is known", Finding{Severity: propagate.Note, Code: "c", Path: "a.yaml", Column: 5, Message: "m"}, "::notice file=prod/a.yaml,title=c::m"},
		{"no place at all", Finding{Severity: propagate.Error, Code: "c", Message: "m"}, "::error title=c::m"},
		{"with a fix", Finding{Severity: propagate.Error, Code: "c", Message: "m", Fix: "write x"}, "::error title=c::m%0AFix: write x"},
		{"what would end the command", Finding{Severity: propagate.Error, Code: "c", Path: "a,b:c%\n.yaml", Message: "50%\r\n::error::no, it: goes on"},
			"::error file=prod/a%2Cb%3Ac%25%0A.yaml,title=c::50%25%0D%0A::error::no, it: goes on"},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, c.line.github(&load.Tree{Dir: "prod"})) })
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
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, Finding{Path: c.path}.uri(&load.Tree{Dir: c.dir})) })
	}
	require.Nil(t, Finding{Path: "a.yaml"}.region())
	require.Equal(t, jsonObject{"startLine": 2}, Finding{Line: 2}.region())
}
