package post

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/version"
	"github.com/accord-dev/accord/source/forge"
)

// Repository selects a repository at its forge.
type Repository struct {
	forge string
	url   string
	api   string
}

// Register registers the flags. usual is the default of the URL, for the help.
func (f *Repository) Register(flags *pflag.FlagSet, usual string) {
	flags.StringVar(&f.forge, "forge", "", "github, gitlab or gitea (also for Forgejo) (default from the pipeline or the URL)")
	flags.StringVar(&f.url, "forge-url", "", "URL of the repository at its forge (default "+usual+")")
	flags.StringVar(&f.api, "forge-api", "", "URL of the API of the forge (default that of the pipeline, or the usual one)")
}

// options returns o with the values of the flags.
func (f *Repository) options(o forge.Options) forge.Options {
	o.Provider = forge.Provider(cmp.Or(f.forge, string(o.Provider)))
	if f.url != "" && f.url != o.URL {
		o.URL, o.APIURL = f.url, ""
	}
	o.APIURL = cmp.Or(f.api, o.APIURL)
	return o
}

var errNoToken = errors.New("no token: set $ACCORD_FORGE_TOKEN, $GITHUB_TOKEN or $GITLAB_TOKEN")

// Connect returns the forge of the repository at a URL, unless the flags have another, with the token that Open uses. The other
// values of a pipeline count if the pipeline is of that repository. Connect sends no request.
func (f *Repository) Connect(getenv func(string) string, remote string) (forge.Forge, error) {
	p, _ := thisPipeline(getenv) // an error is about its pull request
	if !gitrepo.SameRepository(p.URL, cmp.Or(f.url, remote)) {
		p.Options = forge.Options{URL: remote, Token: p.Token}
	}
	o := f.options(p.Options)
	if o.Token == "" {
		return nil, errNoToken
	}
	o.UserAgent, o.Networks = "accord/"+version.Get().Version, egress.Everywhere()
	to, err := forge.New(o)
	if err != nil {
		return nil, fmt.Errorf("%w (--forge and --forge-url replace the forge and the URL of the remote)", err)
	}
	return to, nil
}
