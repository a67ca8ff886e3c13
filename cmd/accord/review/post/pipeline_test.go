package post

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

func TestFlagsComeBeforeThePipeline(t *testing.T) {
	pipeline := map[string]string{
		"GITLAB_CI": "true", "CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_URL": "https://gitlab.example/team/prod", "GITLAB_TOKEN": "t",
	}
	f := Flags{pull: 9, commit: strings.Repeat("a", 40), Repository: Repository{url: "https://forge.example/team/prod", forge: "gitea"}}
	p, err := f.target(func(name string) string { return pipeline[name] })
	require.NoError(t, err)
	require.Equal(t, forge.Gitea, p.Provider)
	require.Equal(t, "https://forge.example/team/prod", p.URL)
	require.Empty(t, p.APIURL, "that of the pipeline is of another forge")
	require.Equal(t, 9, p.pull)
}
