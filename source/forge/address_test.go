package forge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhereTheAPIIs(t *testing.T) {
	cases := map[string]struct {
		url, given string
		provider   Provider // empty: derived from the host
		is         Provider
		api, path  string
		root       string // of what people open
	}{
		"GitHub":                           {url: "https://github.com/acme/fleet.git", is: GitHub, api: "https://api.github.com", path: "acme/fleet", root: "https://github.com"},
		"GitHub, with a token in the URL":  {url: "https://x-access-token:secret@github.com/acme/fleet", is: GitHub, api: "https://api.github.com", path: "acme/fleet", root: "https://github.com"},
		"GitHub, as scp writes it":         {url: "git@github.com:acme/fleet.git", is: GitHub, api: "https://api.github.com", path: "acme/fleet", root: "https://github.com"},
		"GitHub, ssh over the https port":  {url: "ssh://git@ssh.github.com:443/acme/fleet.git", is: GitHub, api: "https://api.github.com", path: "acme/fleet", root: "https://github.com"},
		"GitHub Enterprise":                {url: "https://github.acme.example/acme/fleet", is: GitHub, api: "https://github.acme.example/api/v3", path: "acme/fleet", root: "https://github.acme.example"},
		"GitHub with data residency":       {url: "https://acme.ghe.com/acme/fleet", is: GitHub, api: "https://api.acme.ghe.com", path: "acme/fleet", root: "https://acme.ghe.com"},
		"GitHub Enterprise, by its API":    {url: "https://code.example/acme/fleet", given: "https://code.example/api/v3/", provider: GitHub, is: GitHub, api: "https://code.example/api/v3", path: "acme/fleet", root: "https://code.example"},
		"GitLab":                           {url: "https://gitlab.com/acme/platform/fleet/", is: GitLab, api: "https://gitlab.com/api/v4", path: "acme/platform/fleet", root: "https://gitlab.com"},
		"GitLab, ssh over the https port":  {url: "ssh://git@altssh.gitlab.com:443/acme/fleet.git", is: GitLab, api: "https://gitlab.com/api/v4", path: "acme/fleet", root: "https://gitlab.com"},
		"GitLab, ssh on a port of its own": {url: "ssh://git@GitLab.acme.example:2222/acme/fleet.git", is: GitLab, api: "https://gitlab.acme.example/api/v4", path: "acme/fleet", root: "https://gitlab.acme.example"},
		"GitLab on a port, in clear text":  {url: "http://my-gitlab:8080/acme/fleet", is: GitLab, api: "http://my-gitlab:8080/api/v4", path: "acme/fleet", root: "http://my-gitlab:8080"},
		"GitLab in a folder":               {url: "https://code.example/gitlab/acme/fleet", given: "https://code.example/gitlab/api/v4", provider: GitLab, is: GitLab, api: "https://code.example/gitlab/api/v4", path: "acme/fleet", root: "https://code.example/gitlab"},
		"GitLab in a folder, by ssh":       {url: "git@code.example:gitlab/fleet", given: "https://code.example/gitlab/api/v4", provider: GitLab, is: GitLab, api: "https://code.example/gitlab/api/v4", path: "gitlab/fleet", root: "https://code.example"},
		"Codeberg":                         {url: "https://codeberg.org/acme/fleet", is: Gitea, api: "https://codeberg.org/api/v1", path: "acme/fleet", root: "https://codeberg.org"},
		"Gitea":                            {url: "https://gitea.acme.example:3000/acme/fleet", is: Gitea, api: "https://gitea.acme.example:3000/api/v1", path: "acme/fleet", root: "https://gitea.acme.example:3000"},
		"Forgejo":                          {url: "https://code.forgejo.example/acme/fleet", is: Gitea, api: "https://code.forgejo.example/api/v1", path: "acme/fleet", root: "https://code.forgejo.example"},
		"Gitea in a folder":                {url: "https://gitea.example/git/acme/fleet", is: Gitea, api: "https://gitea.example/git/api/v1", path: "acme/fleet", root: "https://gitea.example/git"},
		"Gitea in a folder, by its API":    {url: "https://code.example/git/acme/fleet", given: "https://code.example/git/api/v1", provider: Gitea, is: Gitea, api: "https://code.example/git/api/v1", path: "acme/fleet", root: "https://code.example/git"},
		"what a name begins with counts":   {url: "https://gitlab-of-github.example/acme/fleet", is: GitLab, api: "https://gitlab-of-github.example/api/v4", path: "acme/fleet", root: "https://gitlab-of-github.example"},
		"the https port, said":             {url: "https://github.com:443/acme/fleet", is: GitHub, api: "https://api.github.com", path: "acme/fleet", root: "https://github.com"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			at, err := parseAddress(c.url)
			require.NoError(t, err)
			is := c.provider
			if is == "" {
				is, err = at.provider()
				require.NoError(t, err)
			}
			require.Equal(t, c.is, is)
			at, api, err := at.api(is, c.given)
			require.NoError(t, err)
			require.Equal(t, []string{c.api, c.path, c.root}, []string{api, at.path, at.root()})
		})
	}
}
