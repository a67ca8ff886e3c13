// Package forge talks to the hosts of repositories: GitHub, GitLab, Gitea, and Forgejo, which has Gitea's API. It
// opens pull requests, keeps one comment on each, sets the status of a commit and reads webhooks. It transports text and knows
// nothing of plans and releases.
package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/accord-dev/accord/internal/egress"
)

// Provider is the API of a forge.
type Provider string

// Supported providers.
const (
	GitHub Provider = "github" // and GitHub Enterprise
	GitLab Provider = "gitlab"
	Gitea  Provider = "gitea" // and Forgejo
)

// defaultTimeout bounds one request.
const defaultTimeout = 30 * time.Second

// Options locates a repository and holds the token.
type Options struct {
	// Provider may be empty; then the host of URL determines it: github.com, *.ghe.com, gitlab.com, codeberg.org, and
	// names that contain github, gitlab, gitea or forgejo, where the beginning of the name takes precedence.
	Provider Provider
	// URL is the clone URL: https, ssh or user@host:path. Credentials in it are ignored.
	URL string
	// APIURL is the URL of the API. If it is empty, the provider's usual path on the host of URL is used:
	// https://api.github.com, and https://HOST/api/v3 (GitHub Enterprise), /api/v4 (GitLab) or /api/v1 (Gitea).
	APIURL string
	// Token belongs to the account that writes. Surrounding space, common in Secrets, is ignored.
	Token string `json:"-"`
	// CA is a PEM bundle that is trusted in addition to the system's; it may be empty.
	CA []byte `json:"-"`
	// Timeout bounds one request; 0 means 30 s.
	Timeout time.Duration
	// Networks are the loopback, link-local and private networks in which the forge may be.
	Networks egress.Networks
	// UserAgent defaults to "accord".
	UserAgent string
}

// String omits the token, and the URL, which may contain one.
func (o Options) String() string {
	at, err := parseAddress(o.URL)
	if err != nil {
		return "a forge"
	}
	return at.String()
}

// GoString equals String, so that %#v prints no token.
func (o Options) GoString() string { return o.String() }

// Forge is one repository at its host. All methods are safe for concurrent use. Errors wrap ErrDenied, ErrNotFound or
// a *RateLimitError where these are the cause. Nothing is retried: the caller knows how long it may wait.
type Forge interface {
	// Comment creates or edits the one comment with marker on a pull (merge) request and returns its URL. The marker
	// is an HTML comment on a line of its own; Comment prepends it to a body that lacks it. Comment searches all
	// pages, and only among the comments of this account. It sends no write if the text is unchanged. If two
	// concurrent callers created two comments, the next call deletes all but the oldest. A body longer than
	// MaxComment is an error.
	Comment(ctx context.Context, pull int, marker, body string) (url string, err error)
	// Report sets the status of a commit (40 hex digits) for the context s.Context.
	Report(ctx context.Context, commit string, s Status) error
	// OpenPull opens a pull (merge) request and returns its URL. A second one for the same two branches is an error.
	OpenPull(ctx context.Context, p PullRequest) (url string, err error)
}

// New returns the repository that o describes. It sends no request. Errors concern only o and quote neither token nor
// password.
func New(o Options) (Forge, error) {
	at, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Provider == "" {
		if o.Provider, err = at.provider(); err != nil {
			return nil, err
		}
	}
	if o.Token = strings.TrimSpace(o.Token); o.Token == "" {
		return nil, fmt.Errorf("%s: a token is needed to write", at)
	}
	at, base, err := at.api(o.Provider, o.APIURL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	client, err := httpClient(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	o.UserAgent = cmp.Or(o.UserAgent, "accord")
	a, err := connect(o, at, base, client)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return &repository{at: at, provider: o.Provider, api: a}, nil
}

// connect returns the client of a provider.
func connect(o Options, at address, base string, client *http.Client) (api, error) {
	switch o.Provider {
	case GitHub:
		return newGitHub(o, at, base, client)
	case GitLab:
		return newGitLab(o, at, base, client)
	case Gitea:
		return newGitea(o, at, base, client), nil
	}
	return nil, errors.New("no such provider") // address.api has rejected it
}

// api is implemented by each provider. Errors come from causeOf.
type api interface {
	// account returns the ID of the token's account.
	account(ctx context.Context) (int64, error)
	// comments returns one page, oldest first, and the number of the next page, 0 after the last. The first page is
	// 1.
	comments(ctx context.Context, pull, page int) ([]comment, int, error)
	create(ctx context.Context, pull int, text string) (comment, error)
	edit(ctx context.Context, pull int, id int64, text string) (comment, error)
	remove(ctx context.Context, pull int, id int64) error
	report(ctx context.Context, commit string, s Status) error
	open(ctx context.Context, p PullRequest) (url string, err error)
}

// repository implements Forge with any api.
type repository struct {
	at       address
	provider Provider
	api      api

	mu sync.Mutex
	me int64 // the token's account; 0 until known
}

func (r *repository) String() string { return r.at.String() }

// account requests the account once.
func (r *repository) account(ctx context.Context) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.me != 0 {
		return r.me, nil
	}
	me, err := r.api.account(ctx)
	if err == nil && me == 0 {
		err = errors.New("the response names no account")
	}
	if err != nil {
		return 0, fmt.Errorf("read the account of the token: %w", err)
	}
	r.me = me
	return me, nil
}
