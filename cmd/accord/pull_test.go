package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

// gitIn runs git in a directory and returns its output.
func gitIn(t *testing.T, dir string, args ...string) string {
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// pushed returns a work tree on branch main with a bare repository as its remote.
func pushed(t *testing.T, files map[string]string) (dir, remote string) {
	t.Setenv("HOME", t.TempDir())
	dir, remote = reviewed(t, files, nil), t.TempDir()
	gitIn(t, remote, "init", "-q", "--bare")
	gitIn(t, dir, "checkout", "-q", "-B", "main")
	gitIn(t, dir, "config", "user.name", "Grace")
	gitIn(t, dir, "config", "user.email", "grace@example.com")
	gitIn(t, dir, "remote", "add", "origin", remote)
	gitIn(t, dir, "push", "-q", "-u", "origin", "main")
	return dir, remote
}

func TestDefectF29PullRequest(t *testing.T) {
	fields := map[forge.Provider][4]string{
		forge.GitHub: {"title", "body", "head", "base"}, forge.Gitea: {"title", "body", "head", "base"},
		forge.GitLab: {"title", "description", "source_branch", "target_branch"},
	}
	for provider, names := range fields {
		t.Run(string(provider), func(t *testing.T) {
			dir, remote := pushed(t, map[string]string{"c.yaml": postCluster, "p.yaml": postPolicy, "w.yaml": fmt.Sprintf(postConfig, 1)})
			h := newForgeHost(t, provider)
			h.inPipeline(t, provider)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Chdir(dir)
			head := gitIn(t, dir, "rev-parse", "HEAD")

			var out bytes.Buffer
			run := []string{"hold", "eu", "--reason", "INC 4411", "--pull-request", "--forge", string(provider), "--forge-url", h.URL + "/team/prod"}
			require.Zero(t, execute(context.Background(), run, strings.NewReader(""), &out, &out), out.String())
			require.Contains(t, out.String(), " and pushed\npull request: "+h.URL+"/pull/8\n")

			require.Len(t, h.pulls, 1)
			sent := h.pulls[0]
			branch := sent[names[2]]
			require.Regexp(t, `^accord/hold-cluster-eu-[0-9a-f]{7}$`, branch)
			require.Equal(t, "hold cluster eu: INC 4411", sent[names[0]])
			require.Equal(t, "main", sent[names[3]])
			require.Contains(t, sent[names[1]], "```sh\naccord hold eu --pull-request --reason 'INC 4411'\n```\n\nOwner: Grace\n")
			require.Contains(t, sent[names[1]], "1 object becoming held")
			require.NotContains(t, sent[names[1]], dir)

			require.Equal(t, head, gitIn(t, dir, "rev-parse", "HEAD"), "the checkout stays")
			require.Empty(t, gitIn(t, dir, "status", "--porcelain"))
			require.Equal(t, head, gitIn(t, remote, "rev-parse", "main"))
			require.Equal(t, head, gitIn(t, remote, "rev-parse", branch+"^"))
		})
	}
}

func TestDefectF29PullRequestThatIsRefused(t *testing.T) {
	dir, remote := pushed(t, map[string]string{"c.yaml": postCluster})
	h := newForgeHost(t, forge.GitHub)
	h.inPipeline(t, forge.GitHub)
	h.refuse = 403
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	var out bytes.Buffer
	run := []string{"hold", "eu", "--reason", "x", "--pull-request", "--branch", "hold", "--forge", "github", "--forge-url", h.URL + "/team/prod"}
	require.Equal(t, 2, execute(context.Background(), run, strings.NewReader(""), &out, &out))
	require.Contains(t, out.String(), "the commit was pushed on branch hold, but there is no pull request: ")
	require.Contains(t, out.String(), `the permission "Pull requests: write"`)
	require.NotContains(t, out.String(), forgeToken)
	require.Equal(t, gitIn(t, dir, "rev-parse", "hold"), gitIn(t, remote, "rev-parse", "hold"))
}
