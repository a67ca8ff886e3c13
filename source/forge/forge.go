// Package forge is what is said to and heard from the place where a repository is hosted: GitHub, GitLab, and Gitea
// with Forgejo, which speaks Gitea's API. It keeps one comment on a pull request, sets the status of a commit and
// reads webhooks. It knows nothing of plans and releases: it carries text.
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
)

// Provider is the API that a forge speaks.
type Provider string

// The providers.
const (
	GitHub Provider = "github" // also GitHub Enterprise
	GitLab Provider = "gitlab"
	Gitea  Provider = "gitea" // also Forgejo
)

// defaultTimeout of one request.
const defaultTimeout = 30 * time.Second

// Options lead to one repository.
type Options struct {
	// Provider; empty: told by the host of URL: github.com, *.ghe.com, gitlab.com, codeberg.org, and names with
	// github, gitlab, gitea or forgejo in them, of which what a name begins with counts most.
	Provider Provider
	// URL of the repository as one clones it: https, ssh, user@host:path. Credentials in it are not used.
	URL string
	// APIURL is where the API is; empty: the provider's usual place on the host of URL, which is https://api.github.com,
	// and https://HOST/api/v3 (GitHub Enterprise), /api/v4 (GitLab) or /api/v1 (Gitea).
	APIURL string
	// Token of the account that comments and reports. Space around it, as Secrets often have it, does not count.
	Token string `json:"-"`
	// CA is a PEM bundle trusted beside the system's roots; it may be empty.
	CA []byte `json:"-"`
	// Timeout of one request; 0: 30 s.
	Timeout time.Duration
	// UserAgent that requests carry; empty: "accord".
	UserAgent string
}

// String leaves out the token, and the URL, which may hold one as well.
func (o Options) String() string {
	at, err := parseAddress(o.URL)
	if err != nil {
		return "a forge"
	}
	return at.String()
}

// GoString is String: also %#v shows no token.
func (o Options) GoString() string { return o.String() }

// Forge is one repository at its host. All methods may be called at the same time. Their errors wrap ErrDenied,
// ErrNotFound or a *RateLimitError where that is the cause. Nothing is tried a second time: the caller knows how long
// it may wait.
type Forge interface {
	// Comment makes the one comment with marker on a pull (merge) request say body and returns its address. The marker
	// is a line that readers do not see, an HTML comment; body gets it as its first line when it has no such line. The
	// comment is looked for on all pages and among those of this account only; it is edited where it is, and made when
	// there is none. Text that is there already sends no write. When two callers at once made two, the next call
	// deletes all but the oldest. A body longer than MaxComment is an error.
	Comment(ctx context.Context, pull int, marker, body string) (url string, err error)
	// Report sets the status of a commit (40 hex digits) in the context s.Context.
	Report(ctx context.Context, commit string, s Status) error
}

// New leads to the repository that o describes. It sends nothing. Errors are about o alone and quote neither token nor
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
		return nil, fmt.Errorf("%s: a token is needed to comment and to report", at)
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

// connect is the list of forges.
func connect(o Options, at address, base string, client *http.Client) (api, error) {
	switch o.Provider {
	case GitHub:
		return newGitHub(o, at, base, client)
	case GitLab:
		return newGitLab(o, at, base, client)
	case Gitea:
		return newGitea(o, at, base, client), nil
	}
	return nil, errors.New("no such provider") // address.api refused it before
}

// api is what a provider must be able to do. Errors are what refused makes of them.
type api interface {
	// account that the token belongs to.
	account(ctx context.Context) (int64, error)
	// comments of one page, oldest first, and the number of the next one, 0 after the last. The first page is 1.
	comments(ctx context.Context, pull, page int) ([]comment, int, error)
	create(ctx context.Context, pull int, text string) (comment, error)
	edit(ctx context.Context, pull int, id int64, text string) (comment, error)
	remove(ctx context.Context, pull int, id int64) error
	report(ctx context.Context, commit string, s Status) error
}

// repository is a Forge, whatever its provider.
type repository struct {
	at       address
	provider Provider
	api      api

	mu sync.Mutex
	me int64 // the account, once known
}

func (r *repository) String() string { return r.at.String() }

// account asks once.
func (r *repository) account(ctx context.Context) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.me != 0 {
		return r.me, nil
	}
	me, err := r.api.account(ctx)
	if err == nil && me == 0 {
		err = errors.New("the answer names no account")
	}
	if err != nil {
		return 0, fmt.Errorf("ask whose token this is: %w", err)
	}
	r.me = me
	return me, nil
}
