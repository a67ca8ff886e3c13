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
)

// What can go wrong, for [errors.Is]. Every error of [Cache.Fetch] is one of
// these, except the end of the caller's context, trouble with the cache
// directory, and a repository that lacks objects it should have.
var (
	// ErrInvalid: the options can never work: an URL that is none, two refs at
	// once, a semver range or a private key that cannot be parsed.
	ErrInvalid = errors.New("invalid source")
	// ErrAuth: the remote does not accept the credentials, or wants some.
	ErrAuth = errors.New("not authorized")
	// ErrHostKey: the SSH server is not the one known_hosts describes, or there
	// is no known_hosts to check it by.
	ErrHostKey = errors.New("host key not verified")
	// ErrRefNotFound: the repository is there, the branch, tag, version or commit
	// is not (or the repository is empty).
	ErrRefNotFound = errors.New("ref not found")
	// ErrUnreachable: no answer: name lookup, connection, TLS, timeout, or the
	// server says that it is in trouble. The one kind where waiting helps.
	ErrUnreachable = errors.New("unreachable")
	// ErrNotRepository: something is there, or nothing, but no Git repository that
	// these credentials may know of.
	ErrNotRepository = errors.New("not a Git repository")
	// ErrTooLarge: a file or tree is above the limits of [Options].
	ErrTooLarge = errors.New("too large")
	// ErrSymlink: a symbolic link leads out of the tree or in a circle.
	ErrSymlink = errors.New("symbolic link refused")
)

var kinds = []error{ErrInvalid, ErrAuth, ErrHostKey, ErrRefNotFound, ErrUnreachable, ErrNotRepository, ErrTooLarge, ErrSymlink}

// failure is the error of a Fetch. It keeps the kind of what happened and not
// the cause itself, whose text might hold a secret.
type failure struct {
	text string
	is   []error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.is }

// explain says what was fetched, from where, and what kind of error it is.
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
	if errors.Is(f, ErrRefNotFound) { // its text names the ref
		what = fmt.Sprintf("fetch %s", at)
	}
	f.text = what + ": " + redact(oneLine(f.text), at, o.Auth)
	return f
}

// reason is an error of a kind whose sentence needs no word about the kind.
type reason struct {
	kind error
	text string
}

func because(kind error, format string, args ...any) error {
	return &reason{kind, fmt.Sprintf(format, args...)}
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.kind }

// kindOf finds the kind of err, or nil if it is none of them: then it is the
// cache directory that failed.
func kindOf(err error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind
		}
	}
	if wrapped, ok := errors.AsType[*plumbing.UnexpectedError](err); ok { // it does not unwrap itself
		return kindOf(wrapped.Err)
	}
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return ErrAuth
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return ErrNotRepository
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return ErrRefNotFound
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

// oneLine makes of a server's answer, which may be a web page, something to
// print: without what a terminal would obey, and not long.
func oneLine(s string) string {
	const most = 400
	s = strings.ReplaceAll(s, "unexpected client error: ", "") // go-git's name for any answer but 200
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	s = strings.Map(printed, s)
	if len(s) > most { // the cause stands at the end of a long chain
		s = strings.ToValidUTF8(s[:most*2/3], "") + " ... " + strings.ToValidUTF8(s[len(s)-most/3:], "")
	}
	return s
}
