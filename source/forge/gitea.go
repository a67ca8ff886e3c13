package forge

import (
	"context"
	"net/http"
	"strings"

	"code.gitea.io/sdk/gitea"
)

const (
	needGiteaComment = "the scopes write:issue and read:user"
	needGiteaWrite   = "the scope write:repository and write access to the repository"
)

// giteaAPI uses https://docs.gitea.com/api, which Forgejo shares.
type giteaAPI struct {
	// client returns a client for one call, because the SDK stores the context in the client.
	client      func(ctx context.Context) (*gitea.Client, error)
	owner, name string
}

func newGitea(o Options, at address, base string, client *http.Client) *giteaAPI {
	g := &giteaAPI{client: func(ctx context.Context) (*gitea.Client, error) {
		return gitea.NewClient(strings.TrimSuffix(base, "/api/v1"), gitea.SetHTTPClient(client), gitea.SetToken(o.Token),
			gitea.SetUserAgent(o.UserAgent), gitea.SetContext(ctx),
			gitea.SetGiteaVersion("")) // skip the version request: all supported versions have these endpoints
	}}
	g.owner, g.name = at.split()
	return g
}

func (g *giteaAPI) account(ctx context.Context) (int64, error) {
	client, err := g.client(ctx)
	if err != nil {
		return 0, err
	}
	user, response, err := client.GetMyUserInfo()
	if err != nil {
		return 0, g.refused(err, response, needGiteaComment)
	}
	return user.ID, nil
}

// comments follows the server's links, because servers may send smaller pages than requested; current ones send all
// comments at once.
func (g *giteaAPI) comments(ctx context.Context, pull, page int) ([]comment, int, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, 0, err
	}
	list, response, err := client.ListIssueComments(g.owner, g.name, int64(pull), gitea.ListIssueCommentOptions{
		ListOptions: gitea.ListOptions{Page: page, PageSize: 50},
	})
	if err != nil {
		return nil, 0, g.refused(err, response, needGiteaComment)
	}
	var comments []comment
	for _, c := range list {
		comments = append(comments, giteaComment(c))
	}
	return comments, response.NextPage, nil
}

func (g *giteaAPI) create(ctx context.Context, pull int, text string) (comment, error) {
	client, err := g.client(ctx)
	if err != nil {
		return comment{}, err
	}
	c, response, err := client.CreateIssueComment(g.owner, g.name, int64(pull), gitea.CreateIssueCommentOption{Body: text})
	if err != nil {
		return comment{}, g.refused(err, response, needGiteaComment)
	}
	return giteaComment(c), nil
}

func (g *giteaAPI) edit(ctx context.Context, _ int, id int64, text string) (comment, error) {
	client, err := g.client(ctx)
	if err != nil {
		return comment{}, err
	}
	c, response, err := client.EditIssueComment(g.owner, g.name, id, gitea.EditIssueCommentOption{Body: text})
	if err != nil {
		return comment{}, g.refused(err, response, needGiteaComment)
	}
	return giteaComment(c), nil
}

func (g *giteaAPI) remove(ctx context.Context, _ int, id int64) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	response, err := client.DeleteIssueComment(g.owner, g.name, id)
	return g.refused(err, response, needGiteaComment)
}

func (g *giteaAPI) report(ctx context.Context, commit string, s Status) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	state := s.State
	if state == Superseded {
		state = Error
	}
	_, response, err := client.CreateStatus(g.owner, g.name, commit, gitea.CreateStatusOption{
		State:       gitea.StatusState(state),
		TargetURL:   s.TargetURL,
		Description: s.Description,
		Context:     s.Context,
	})
	return g.refused(err, response, needGiteaWrite)
}

func (g *giteaAPI) open(ctx context.Context, p PullRequest) (string, error) {
	client, err := g.client(ctx)
	if err != nil {
		return "", err
	}
	made, response, err := client.CreatePullRequest(g.owner, g.name, gitea.CreatePullRequestOption{Title: p.Title, Body: p.Body, Head: p.Head, Base: p.Base})
	if err != nil {
		return "", g.refused(err, response, needGiteaWrite)
	}
	return made.HTMLURL, nil
}

func (g *giteaAPI) refused(err error, response *gitea.Response, need string) error {
	if response == nil {
		return err
	}
	return causeOf(err, response.Response, need)
}

func giteaComment(c *gitea.Comment) comment {
	found := comment{id: c.ID, text: c.Body, url: c.HTMLURL}
	if c.Poster != nil {
		found.author = c.Poster.ID
	}
	return found
}
