package review

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/diff"
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

func TestDefectF24HeadlineCountsHolds(t *testing.T) {
	r := &Review{Report: &diff.Report{Effects: []diff.Effect{
		{Code: "becomes-held", Objects: []manifest.ID{{Kind: "ConfigMap", Name: "a"}, {Kind: "ConfigMap", Name: "b"}}},
		{Code: "becomes-held", Objects: []manifest.ID{{Kind: "ConfigMap", Name: "a"}}},
	}}}
	r.conclude()
	require.Equal(t, Changed, r.Result)
	require.Equal(t, "no object in any cluster affected, 2 objects becoming held", r.Verdict)
}

func TestDefectF11HeadingNamesTheFederation(t *testing.T) {
	r := &Review{Federation: "prod/shop", Files: []string{"apps/overlays/prod/kustomization.yaml"}, Base: "main", Head: "pr", Report: &diff.Report{}}
	require.Contains(t, r.markdownHead(), "### accord plan \u00b7 `prod/shop` \u00b7")
	require.Contains(t, r.markdownHead(), "`main` to `pr`: `apps/overlays/prod/kustomization.yaml`.\n")
}
