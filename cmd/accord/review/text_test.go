package review

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/golden"
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

func TestPage(t *testing.T) {
	require.Equal(t, 65_536, MaxBudget)
	golden.Quote(t, "../../../docs/how-to/plan.md", "A comment has at most 65,536 characters (`--max-bytes`).")
	for page, r := range map[string]*Review{
		"../../../README.md":           {Report: &diff.Report{Policies: 2, Changes: make([]diff.Change, 4), Totals: diff.Totals{Objects: 38, Clusters: 30, Fleet: 31}}},
		"../../../docs/how-to/plan.md": {Report: &diff.Report{Policies: 1, Changes: make([]diff.Change, 4), Totals: diff.Totals{Objects: 4, Clusters: 3, Fleet: 3}}},
	} {
		golden.Quote(t, page, r.extent())
	}
}
