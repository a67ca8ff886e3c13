// Package forge is what is said to and heard from the place where a repository is hosted: GitHub, GitLab, and Gitea
// with Forgejo, which speaks Gitea's API. It keeps one comment on a pull request, sets the status of a commit and
// reads webhooks. It knows nothing of plans and releases: it carries text.
package forge

import (
	"context"
	"fmt"
	"time"
)

// Provider is the API that a forge speaks.
type Provider string

// The providers.
const (
	GitHub Provider = "github" // also GitHub Enterprise
	GitLab Provider = "gitlab"
	Gitea  Provider = "gitea" // also Forgejo
)

// Options lead to one repository.
type Options struct {
	// Provider; empty: told by the host of URL (see New).
	Provider Provider
	// URL of the repository as one clones it: https, ssh, user@host:path.
	URL string
	// APIURL is where the API is; empty: the provider's usual place on the host of URL.
	APIURL string
	// Token of the account that comments and reports.
	Token string
	// CA is a PEM bundle trusted instead of the system's roots; empty: the system's roots.
	CA []byte
	// Timeout of one request; 0: 30 s.
	Timeout time.Duration
	// UserAgent that requests carry; empty: "accord".
	UserAgent string
}

// Forge is one repository at its host. All methods may be called at the same time.
type Forge interface {
	// Comment makes the one comment with marker on a pull (merge) request say body and returns its address.
	Comment(ctx context.Context, pull int, marker, body string) (url string, err error)
	// Report sets the status of a commit (40 hex digits) in the context s.Context.
	Report(ctx context.Context, commit string, s Status) error
}

// Status is what is said about a commit.
type Status struct {
	Context     string // such as "accord/plan"; one status of a commit a context
	State       State
	Description string // cut to 140 characters by Report
	TargetURL   string // may be empty
}

// State of a commit in one context.
type State string

// The states.
const (
	Pending    State = "pending"
	Success    State = "success"
	Failure    State = "failure"    // whoever made the change must act
	Error      State = "error"      // not the change's fault
	Superseded State = "superseded" // a later commit took its place; "canceled" at GitLab, "error" at the others
)

// New leads to the repository that o describes.
func New(o Options) (Forge, error) {
	return nil, fmt.Errorf("provider %q is not known", o.Provider)
}
