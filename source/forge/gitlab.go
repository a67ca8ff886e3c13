package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

const (
	needGitLabComment = "the scope api and the role Reporter or more (a job's token cannot comment)"
	needGitLabWrite   = "the scope api and the role Developer or more"
)

// gitLab uses https://docs.gitlab.com/api/rest.
type gitLab struct {
	client *gitlab.Client
	at     address
}

func newGitLab(o Options, at address, base string, client *http.Client) (*gitLab, error) {
	spoken, err := gitlab.NewClient(o.Token, gitlab.WithHTTPClient(client), gitlab.WithBaseURL(base),
		gitlab.WithUserAgent(o.UserAgent), gitlab.WithoutRetries(), gitlab.WithCustomLimiter(unlimited{}))
	if err != nil {
		return nil, err
	}
	return &gitLab{client: spoken, at: at}, nil
}

// unlimited never waits: the caller waits after a *RateLimitError.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

func (g *gitLab) account(ctx context.Context) (int64, error) {
	user, response, err := g.client.Users.CurrentUser(gitlab.WithContext(ctx))
	if err != nil {
		return 0, g.refused(err, response, needGitLabComment)
	}
	return user.ID, nil
}

func (g *gitLab) comments(ctx context.Context, pull, page int) ([]comment, int, error) {
	by, order := "created_at", "asc"
	list, response, err := g.client.Notes.ListMergeRequestNotes(g.at.path, int64(pull), &gitlab.ListMergeRequestNotesOptions{
		ListOptions: gitlab.ListOptions{Page: int64(page), PerPage: 100},
		OrderBy:     &by,
		Sort:        &order,
	}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, 0, g.refused(err, response, needGitLabComment)
	}
	var comments []comment
	for _, note := range list {
		if !note.System {
			comments = append(comments, g.comment(pull, note))
		}
	}
	return comments, int(response.NextPage), nil
}

func (g *gitLab) create(ctx context.Context, pull int, text string) (comment, error) {
	note, response, err := g.client.Notes.CreateMergeRequestNote(g.at.path, int64(pull),
		&gitlab.CreateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
	if err != nil {
		return comment{}, g.refused(err, response, needGitLabComment)
	}
	return g.comment(pull, note), nil
}

func (g *gitLab) edit(ctx context.Context, pull int, id int64, text string) (comment, error) {
	note, response, err := g.client.Notes.UpdateMergeRequestNote(g.at.path, int64(pull), id,
		&gitlab.UpdateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
	if err != nil {
		return comment{}, g.refused(err, response, needGitLabComment)
	}
	return g.comment(pull, note), nil
}

func (g *gitLab) remove(ctx context.Context, pull int, id int64) error {
	response, err := g.client.Notes.DeleteMergeRequestNote(g.at.path, int64(pull), id, gitlab.WithContext(ctx))
	return g.refused(err, response, needGitLabComment)
}

func (g *gitLab) report(ctx context.Context, commit string, s Status) error {
	_, response, err := g.client.Commits.SetCommitStatus(g.at.path, commit, &gitlab.SetCommitStatusOptions{
		State:       gitLabState(s.State),
		Name:        &s.Context,
		Description: &s.Description,
		TargetURL:   orNil(s.TargetURL),
	}, gitlab.WithContext(ctx))
	if err != nil && s.State == Pending && response != nil && isTransition(err, response.StatusCode) {
		return nil
	}
	return g.refused(err, response, needGitLabWrite)
}

func (g *gitLab) open(ctx context.Context, p PullRequest) (string, error) {
	made, response, err := g.client.MergeRequests.CreateMergeRequest(g.at.path, &gitlab.CreateMergeRequestOptions{
		Title: &p.Title, Description: &p.Body, SourceBranch: &p.Head, TargetBranch: &p.Base,
	}, gitlab.WithContext(ctx))
	if err != nil {
		return "", g.refused(err, response, needGitLabWrite)
	}
	return made.WebURL, nil
}

// isTransition reports whether GitLab rejects a transition from a state to itself, as it does for pending: "Cannot
// transition status via :enqueue from :pending". The state is then correct; only the new description is lost.
func isTransition(err error, code int) bool {
	return code == http.StatusBadRequest && strings.Contains(err.Error(), "Cannot transition status via")
}

func gitLabState(s State) gitlab.BuildStateValue {
	switch s {
	case Success:
		return gitlab.Success
	case Failure, Error:
		return gitlab.Failed
	case Superseded:
		return gitlab.Canceled
	}
	return gitlab.Pending
}

func (g *gitLab) refused(err error, response *gitlab.Response, need string) error {
	if response == nil {
		return err
	}
	return causeOf(err, response.Response, need)
}

// comment builds the URL, which GitLab does not send.
func (g *gitLab) comment(pull int, note *gitlab.Note) comment {
	return comment{
		id: note.ID, author: note.Author.ID, text: note.Body,
		url: g.at.page(fmt.Sprintf("/-/merge_requests/%d#note_%d", pull, note.ID)),
	}
}

// noQuickActions escapes lines such as "/merge", which GitLab would execute as commands of this account. The author
// of a quoted manifest must not be able to run commands.
func noQuickActions(text string) string {
	if strings.HasPrefix(text, "/") {
		text = " " + text
	}
	return strings.NewReplacer("\n/", "\n /", "\r/", "\r /").Replace(text)
}

// readGitLab reads webhooks and system hooks: https://docs.gitlab.com/user/project/integrations/webhook_events
func readGitLab(payload []byte) (Event, error) {
	var sent struct {
		pushed
		Kind       string `json:"object_kind"`
		Name       string `json:"event_name"` // of system hooks, which have no object_kind
		Attributes struct {
			Number     int    `json:"iid"`
			Action     string `json:"action"`
			Target     string `json:"target_branch"`
			LastCommit struct {
				ID string `json:"id"`
			} `json:"last_commit"`
		} `json:"object_attributes"`
	}
	if err := json.Unmarshal(payload, &sent); err != nil {
		return Event{}, err
	}
	kind := sent.Kind
	if kind == "" {
		kind = sent.Name
	}
	switch kind {
	case "push", "tag_push":
		return sent.event(), nil
	case "merge_request":
		a := sent.Attributes
		return Event{Kind: Pull, Ref: branch(a.Target), After: a.LastCommit.ID, Pull: a.Number, Merged: a.Action == "merge", Action: a.Action}, nil
	}
	return Event{Kind: Other}, nil
}
