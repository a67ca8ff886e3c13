package forge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	github "github.com/google/go-github/v89/github"
)

const (
	needGitHubComment = `the permission "Pull requests: write" (in a workflow: pull-requests: write)`
	needGitHubStatus  = `the permission "Commit statuses: write" (in a workflow: statuses: write)`
)

// gitHub uses https://docs.github.com/en/rest.
type gitHub struct {
	client      *github.Client
	graphQL     string // URL of the GraphQL API
	owner, name string
}

func newGitHub(o Options, at address, base string, client *http.Client) (*gitHub, error) {
	rest := base + "/"
	spoken, err := github.NewClient(github.WithHTTPClient(client), github.WithAuthToken(o.Token),
		github.WithUserAgent(o.UserAgent), github.WithURLs(&rest, nil))
	if err != nil {
		return nil, err
	}
	g := &gitHub{client: spoken, graphQL: strings.TrimSuffix(base, "/v3") + "/graphql"}
	g.owner, g.name = at.split()
	return g, nil
}

// account uses GraphQL where REST rejects the request: for tokens of apps, including those of workflows.
func (g *gitHub) account(ctx context.Context) (int64, error) {
	user, response, err := g.client.Users.Get(ctx, "")
	if err == nil {
		return user.GetID(), nil
	}
	err = g.causeOf(err, response, needGitHubComment)
	if !errors.Is(err, ErrDenied) || response.StatusCode != http.StatusForbidden {
		return 0, err
	}
	request, err := g.client.NewRequest(ctx, http.MethodPost, g.graphQL, map[string]string{"query": "query { viewer { databaseId } }"})
	if err != nil {
		return 0, err
	}
	var answer struct {
		Data struct {
			Viewer struct {
				DatabaseID int64 `json:"databaseId"`
			} `json:"viewer"`
		} `json:"data"`
	}
	response, err = g.client.Do(request, &answer)
	return answer.Data.Viewer.DatabaseID, g.causeOf(err, response, needGitHubComment)
}

func (g *gitHub) comments(ctx context.Context, pull, page int) ([]comment, int, error) {
	list, response, err := g.client.Issues.ListComments(ctx, g.owner, g.name, pull, &github.IssueListCommentsOptions{
		ListOptions: github.ListOptions{Page: page, PerPage: 100},
	})
	if err != nil {
		return nil, 0, g.causeOf(err, response, needGitHubComment)
	}
	var comments []comment
	for _, c := range list {
		comments = append(comments, gitHubComment(c))
	}
	return comments, response.NextPage, nil
}

func (g *gitHub) create(ctx context.Context, pull int, text string) (comment, error) {
	c, response, err := g.client.Issues.CreateComment(ctx, g.owner, g.name, pull, &github.IssueComment{Body: &text})
	return gitHubComment(c), g.causeOf(err, response, needGitHubComment)
}

func (g *gitHub) edit(ctx context.Context, _ int, id int64, text string) (comment, error) {
	c, response, err := g.client.Issues.EditComment(ctx, g.owner, g.name, id, &github.IssueComment{Body: &text})
	return gitHubComment(c), g.causeOf(err, response, needGitHubComment)
}

func (g *gitHub) remove(ctx context.Context, _ int, id int64) error {
	response, err := g.client.Issues.DeleteComment(ctx, g.owner, g.name, id)
	return g.causeOf(err, response, needGitHubComment)
}

func (g *gitHub) report(ctx context.Context, commit string, s Status) error {
	state := s.State
	if state == Superseded {
		state = Error
	}
	_, response, err := g.client.Repositories.CreateStatus(ctx, g.owner, g.name, commit, github.RepoStatus{
		State:       orNil(string(state)),
		Context:     &s.Context,
		Description: &s.Description,
		TargetURL:   orNil(s.TargetURL),
	})
	return g.causeOf(err, response, needGitHubStatus)
}

func (g *gitHub) open(ctx context.Context, p PullRequest) (string, error) {
	made, response, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{Title: &p.Title, Body: &p.Body, Head: &p.Head, Base: &p.Base})
	return made.GetHTMLURL(), g.causeOf(err, response, needGitHubComment)
}

// causeOf detects both rate limits of GitHub. The client remembers them and then fails without a request.
func (g *gitHub) causeOf(err error, response *github.Response, need string) error {
	now := time.Now()
	if limit, ok := errors.AsType[*github.RateLimitError](err); ok {
		return limitedUntil(limit.Rate.Reset.Time, now)
	}
	if limit, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
		return limitedUntil(now.Add(limit.GetRetryAfter()), now)
	}
	if response == nil {
		return err
	}
	return causeOf(err, response.Response, need)
}

func gitHubComment(c *github.IssueComment) comment {
	return comment{id: c.GetID(), author: c.GetUser().GetID(), text: c.GetBody(), url: c.GetHTMLURL()}
}
