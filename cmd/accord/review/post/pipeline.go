package post

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/source/forge"
)

// pipeline is the repository, the pull request and the run of a CI job.
type pipeline struct {
	forge.Options
	pull   int
	commit string // the newest of the pull request, not the merge that is tested
	run    string // where the log is; may be empty
}

// thisPipeline reads the environment of GitHub Actions, GitLab CI, and Gitea or Forgejo Actions. Absent values are empty. The
// error is the reason why the pull request is not known although the job should have one.
func thisPipeline(getenv func(string) string) (pipeline, error) {
	switch {
	case getenv("GITLAB_CI") != "" || getenv("CI_API_V4_URL") != "":
		return gitLabPipeline(getenv), nil
	case getenv("GITHUB_REPOSITORY") != "":
		return actionsPipeline(getenv)
	}
	return pipeline{Options: forge.Options{Token: firstSet(getenv, "ACCORD_FORGE_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN")}}, nil
}

// gitLabPipeline: https://docs.gitlab.com/ci/variables/predefined_variables/
func gitLabPipeline(getenv func(string) string) pipeline {
	p := pipeline{
		Options: forge.Options{
			Provider: forge.GitLab, URL: firstSet(getenv, "CI_MERGE_REQUEST_PROJECT_URL", "CI_PROJECT_URL"), APIURL: getenv("CI_API_V4_URL"),
			Token: firstSet(getenv, "ACCORD_FORGE_TOKEN", "GITLAB_TOKEN"),
		},
		commit: firstSet(getenv, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"), run: getenv("CI_JOB_URL"),
	}
	p.pull, _ = strconv.Atoi(getenv("CI_MERGE_REQUEST_IID")) // absent outside of merge requests
	return p
}

// actionsPipeline: https://docs.github.com/actions/reference/workflows-and-actions/variables, which Gitea and Forgejo
// set as well.
func actionsPipeline(getenv func(string) string) (pipeline, error) {
	url := strings.TrimRight(getenv("GITHUB_SERVER_URL"), "/") + "/" + getenv("GITHUB_REPOSITORY")
	p := pipeline{Options: forge.Options{
		Provider: forge.GitHub, URL: url, APIURL: getenv("GITHUB_API_URL"), Token: firstSet(getenv, "ACCORD_FORGE_TOKEN", "GITHUB_TOKEN"),
	}}
	if firstSet(getenv, "GITEA_ACTIONS", "FORGEJO_ACTIONS") != "" {
		p.Provider = forge.Gitea
	}
	if id := getenv("GITHUB_RUN_ID"); id != "" {
		p.run = url + "/actions/runs/" + id
	}
	var err error
	p.pull, p.commit, err = pullOfEvent(getenv("GITHUB_EVENT_PATH"))
	return p, err
}

// pullOfEvent reads the event of a workflow. GITHUB_SHA is not usable: it is the merge commit that is tested.
func pullOfEvent(file string) (pull int, commit string, err error) {
	if file == "" {
		return 0, "", errors.New("$GITHUB_EVENT_PATH is not set: set --pull-request and --commit")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, "", fmt.Errorf("reading the event of the workflow: %w", err)
	}
	var event struct {
		PullRequest struct {
			Number int
			Head   struct{ SHA string }
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return 0, "", fmt.Errorf("reading the event of the workflow in %s: %w", file, err)
	}
	return event.PullRequest.Number, event.PullRequest.Head.SHA, nil
}

// firstSet returns the first variable with a value.
func firstSet(getenv func(string) string, names ...string) string {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return value
		}
	}
	return ""
}
