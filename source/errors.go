package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/phrase"
)

// Kinds of errors, for [errors.Is]. Every error of [Cache.Fetch] is one of these, except an error of the caller's
// context, of the cache directory, or of a repository that lacks its own objects.
var (
	// ErrInvalid means that the options can never work: a malformed URL, two refs at once, a malformed semver range
	// or private key.
	ErrInvalid = errors.New("invalid source")
	// ErrAuth means that the remote rejects the credentials or requires some.
	ErrAuth = errors.New("not authorized")
	// ErrHostKey means that known_hosts is missing or does not match the SSH server.
	ErrHostKey = errors.New("host key not verified")
	// ErrRefNotFound means that the repository has no such branch, tag, version or commit, or is empty.
	ErrRefNotFound = errors.New("ref not found")
	// ErrUnreachable means that there is no response: name lookup, connection, TLS, timeout, or a server error. Only
	// this kind can pass without a change.
	ErrUnreachable = errors.New("unreachable")
	// ErrNotRepository means that the URL leads to no Git repository that these credentials may see.
	ErrNotRepository = errors.New("not a Git repository")
	// ErrTooLarge means that a file or tree exceeds the limits of [Options].
	ErrTooLarge = errors.New("too large")
	// ErrSymlink means that a symbolic link leads out of the tree or forms a loop.
	ErrSymlink = errors.New("symbolic link refused")
)

var kinds = []error{ErrInvalid, ErrAuth, ErrHostKey, ErrRefNotFound, ErrUnreachable, ErrNotRepository, ErrTooLarge, ErrSymlink}

// failure is the error of a Fetch. It keeps the kind and not the cause, whose text might contain a secret.
type failure struct {
	text string
	is   []error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.is }

// explain adds the URL, the ref and the kind to an error.
func explain(caller, ctx context.Context, err error, at address, o Options) error {
	f := &failure{text: err.Error()}
	switch {
	case caller.Err() != nil:
		f.is, f.text = []error{caller.Err()}, caller.Err().Error()
	case ctx.Err() != nil:
		f.is = []error{ErrUnreachable, context.DeadlineExceeded}
		f.text = fmt.Sprintf("%v: no complete answer within %s", ErrUnreachable, o.Timeout)
	default:
		if kind := kindOf(err); kind != nil {
			f.is = []error{kind}
			if !errors.Is(err, kind) {
				f.text = kind.Error() + ": " + f.text
			}
		}
	}
	what := fmt.Sprintf("fetch %s (%s)", at, o.Ref)
	if errors.Is(f, ErrRefNotFound) { // the text already names the ref
		what = fmt.Sprintf("fetch %s", at)
	}
	f.text = what + ": " + redact(oneLine(f.text), at, o.Auth)
	return f
}

// kindError is an error of a kind whose text does not repeat the kind.
type kindError struct {
	kind error
	text string
}

func withKind(kind error, format string, args ...any) error {
	return &kindError{kind, fmt.Sprintf(format, args...)}
}

func (r *kindError) Error() string { return r.text }
func (r *kindError) Unwrap() error { return r.kind }

// kindOf returns the kind of err, or nil if it has none: then the cache directory failed.
func kindOf(err error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind
		}
	}
	if wrapped, ok := errors.AsType[*plumbing.UnexpectedError](err); ok { // UnexpectedError has no Unwrap
		return kindOf(wrapped.Err)
	}
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return ErrAuth
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return ErrNotRepository
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return ErrRefNotFound
	case errors.Is(err, egress.ErrTooLarge):
		return ErrTooLarge
	case errors.Is(err, egress.ErrAddress):
		return ErrInvalid
	}
	if answer, ok := errors.AsType[*githttp.Err](err); ok {
		if answer.StatusCode() == http.StatusGone {
			return ErrNotRepository
		}
		return ErrUnreachable
	}
	if _, ok := errors.AsType[*packp.ErrUnexpectedData](err); ok || errors.Is(err, packp.ErrEmptyInput) {
		return ErrNotRepository
	}
	_, isURL := errors.AsType[*url.Error](err)
	_, isNet := errors.AsType[net.Error](err)
	if isURL || isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrUnreachable
	}
	return nil
}

// oneLine shortens a server's response, perhaps a web page, to one line without control characters.
func oneLine(s string) string {
	const most = 400
	s = strings.ReplaceAll(s, "unexpected client error: ", "") // go-git's prefix for any status but 200
	s = phrase.Line(strings.Join(strings.Fields(s), " "))
	if len(s) > most { // keep the end: it holds the cause of a long chain
		s = strings.ToValidUTF8(s[:most*2/3], "") + " ... " + strings.ToValidUTF8(s[len(s)-most/3:], "")
	}
	return s
}
