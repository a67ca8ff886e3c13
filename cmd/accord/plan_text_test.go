package main

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
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

func TestWrappedText(t *testing.T) {
	var b strings.Builder
	textWrapped(&b, "note: ", strings.Repeat("word ", 30)+strings.Repeat("x", 130))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "note: "+strings.TrimSpace(strings.Repeat("word ", 22)), lines[0])
	require.True(t, strings.HasPrefix(lines[1], "      word"))
	require.Equal(t, 130, strings.Count(b.String(), "x"), "nothing of a long word is lost")
}

func TestFewOf(t *testing.T) {
	require.Empty(t, fewOf(nil, 2))
	require.Equal(t, "a, b, c", fewOf([]string{"a", "b", "c"}, 2), "one more has room")
	require.Equal(t, "a, b and 2 more", fewOf([]string{"a", "b", "c", "d"}, 2))
}

func TestCommandLine(t *testing.T) {
	require.Equal(t, `accord plan --base origin/main~2 --path 'my apps' '$(x)' 'it'\''s'`,
		commandLine([]string{"accord", "plan", "--base", "origin/main~2", "--path", "my apps", "$(x)", "it's"}))
	f := &planFlags{tree: treeFlags{repo: "https://ada:secret@git.example/team/prod", paths: []string{"."}}, base: "main"}
	require.Equal(t, "accord plan --repo https://git.example/team/prod --base main", commandLine(f.command(&pair{head: &side{}}, "")))
}

func TestSameRepository(t *testing.T) {
	for _, url := range []string{
		"https://git.example/team/prod", "https://x-access-token:secret@git.example/team/prod.git", "git@git.example:team/prod.git",
		"ssh://git@git.example:22/team/prod", "https://GIT.example/team/prod/",
	} {
		require.True(t, sameRepository("https://git.example/team/prod.git", url), url)
		require.NotContains(t, places([]string{url})[0], "secret")
	}
	require.False(t, sameRepository("https://git.example/team/prod", "https://git.example/team/next"))
	require.False(t, sameRepository("https://git.example/team/prod", "https://other.example/team/prod"))
}

func TestFleetIsWhatTheControllersWillHave(t *testing.T) {
	cluster := func(name, region, endpoint string, labels map[string]string) v1alpha1.Cluster {
		c := v1alpha1.Cluster{}
		c.Name, c.Labels, c.Spec.Region, c.Spec.APIEndpoint = name, labels, region, endpoint
		return c
	}
	declares := func(clusters ...v1alpha1.Cluster) *tree {
		t := &tree{}
		t.parts.Clusters = clusters
		return t
	}
	from := map[string]string{v1alpha1.SourceLabel: "shop.prod"}
	hub := &known{clusters: []v1alpha1.Cluster{cluster("eu", "eu", "https://eu", map[string]string{"by": "hand", "tier": "old", v1alpha1.SourceLabel: "shop.prod"})}}
	base := declares(cluster("eu", "eu", "", map[string]string{"tier": "old"}))
	leaving := &known{clusters: slices.Clone(hub.clusters)}
	leaving.clusters[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)}
	for _, c := range []struct {
		state string
		hub   *known
		now   *tree
		want  map[string]string // "region label-tier label-by" by cluster
	}{
		{"declared as before", hub, base, map[string]string{"eu": "eu old hand"}},
		{"relabelled", hub, declares(cluster("eu", "eu", "", map[string]string{"tier": "new"})), map[string]string{"eu": "eu new hand"}},
		{"a field is taken back", hub, declares(cluster("eu", "", "", nil)), map[string]string{"eu": "  hand"}},
		{"it left Git, and was joined by hand", hub, declares(), map[string]string{"eu": "  hand"}},
		{"it left Git, and only Git knew it", &known{clusters: []v1alpha1.Cluster{cluster("eu", "eu", "", from)}}, declares(), map[string]string{}},
		{"only the hub knows it", &known{clusters: []v1alpha1.Cluster{cluster("za", "za", "", nil)}}, base, map[string]string{"za": "za  ", "eu": "eu old "}},
		{"it is being removed", leaving, declares(), map[string]string{}},
		{"it is being removed, and will be declared again", leaving, base, map[string]string{"eu": "eu old "}},
		{"another is declared", hub, declares(base.parts.Clusters[0], cluster("us", "us", "", nil)), map[string]string{"eu": "eu old hand", "us": "us  "}},
		{"nothing is known", nil, declares(cluster("us", "us", "", nil)), map[string]string{"us": "us  "}},
	} {
		t.Run(c.state, func(t *testing.T) {
			got := map[string]string{}
			for _, f := range c.hub.fleet(base, c.now, "shop.prod") {
				got[f.Name] = f.Region + " " + f.Labels["tier"] + " " + f.Labels["by"]
			}
			require.Equal(t, c.want, got)
		})
	}
}
