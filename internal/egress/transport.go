package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Largest bodies of answers, in bytes, by the class of the request.
const (
	Version   int64 = 64 << 10 // the version of an API server
	Discovery int64 = 32 << 20 // the APIs of an API server, the refs of a Git server
	Page      int64 = 64 << 20 // an object, or one page of a list
	Event     int64 = 4 << 20  // one event of a watch
	Refusal   int64 = 64 << 10 // an answer with code 400 or above; the rest of a longer one is dropped
)

// Unbounded is the limit of a stream whose reader bounds each message.
const Unbounded int64 = -1

// Errors of [Transport].
var (
	ErrTooLarge = errors.New("the answer is too large")
	ErrRedirect = errors.New("the server redirects the request, and accord follows no redirect of it")
	ErrEncoding = errors.New("the server encodes the answer in a form that accord did not ask for")
)

// Transport bounds the answers of Next. It asks for no compression, so that the bytes on the wire are the bytes in memory.
type Transport struct {
	Next http.RoundTripper
	// Limit bounds the body of an answer below code 400, unless the context of the request has a limit. Zero means [Page].
	Limit int64
	// Redirects passes redirects to the client. Without it a redirect is an error.
	Redirects bool
	// CodeOnly drops the body of an answer with code 400 or above, for servers whose text must not reach a status.
	CodeOnly bool
}

// WrappedRoundTripper implements utilnet.RoundTripperWrapper of client-go, so that idle connections can be closed.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// CloseIdleConnections closes the idle connections of Next.
func (t Transport) CloseIdleConnections() {
	if next, ok := t.Next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Encoding", "identity") // an explicit header also stops net/http from unpacking gzip
	answer, err := t.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := t.bound(r, answer); err != nil {
		_ = answer.Body.Close() // nothing of it is read
		return nil, err
	}
	return answer, nil
}

// bound limits the body of an answer, or returns the reason to refuse the answer.
func (t Transport) bound(r *http.Request, answer *http.Response) error {
	code := answer.StatusCode
	if !t.Redirects && redirects(answer) {
		return fmt.Errorf("%w: %s %s is answered with code %d", ErrRedirect, r.Method, r.URL.Path, code)
	}
	if encoding := answer.Header.Get("Content-Encoding"); answer.Uncompressed || encoding != "" && encoding != "identity" {
		return fmt.Errorf("%w: %s %s is answered with Content-Encoding %.32q", ErrEncoding, r.Method, r.URL.Path, encoding)
	}
	if code >= http.StatusBadRequest && t.CodeOnly {
		_ = answer.Body.Close() // nothing of it is read
		answer.Body, answer.ContentLength = http.NoBody, 0
		return nil
	}
	if code >= http.StatusBadRequest {
		answer.Body = body{io.LimitReader(answer.Body, Refusal), answer.Body}
		return nil
	}
	if quota, ok := r.Context().Value(limitKey{}).(*Quota); ok {
		answer.Body = body{quota.Reader(answer.Body), answer.Body}
		return nil
	}
	limit := t.limit(r.Context())
	if limit == Unbounded {
		return nil
	}
	if answer.ContentLength > limit {
		return tooLarge(r, limit)
	}
	answer.Body = body{&bounded{from: answer.Body, left: limit, request: r, limit: limit}, answer.Body}
	return nil
}

func redirects(answer *http.Response) bool {
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (t Transport) limit(ctx context.Context) int64 {
	if limit, ok := ctx.Value(limitKey{}).(int64); ok {
		return limit
	}
	if t.Limit != 0 {
		return t.Limit
	}
	return Page
}

func tooLarge(r *http.Request, limit int64) error {
	return fmt.Errorf("%w: %s %s has more than %d KiB", ErrTooLarge, r.Method, r.URL.Path, limit>>10)
}

// WithLimit bounds the answers to the requests of ctx, in bytes.
func WithLimit(ctx context.Context, limit int64) context.Context {
	return context.WithValue(ctx, limitKey{}, limit)
}

// HasLimit reports whether ctx has a limit.
func HasLimit(ctx context.Context) bool { return ctx.Value(limitKey{}) != nil }

type limitKey struct{}

// Quota bounds an answer that the client reads in parts: the client grants the bytes of each part. It is not safe for concurrent
// use.
type Quota struct{ left int64 }

// NewQuota returns a quota of some bytes.
func NewQuota(bytes int64) *Quota { return &Quota{left: bytes} }

// Set replaces the bytes that are left.
func (q *Quota) Set(bytes int64) { q.left = bytes }

// Spent reports whether no byte is left.
func (q *Quota) Spent() bool { return q.left <= 0 }

// Reader returns a reader of from that ends with ErrTooLarge when the quota is used up.
func (q *Quota) Reader(from io.Reader) io.Reader { return &metered{from, q} }

// WithQuota bounds the answers to the requests of ctx by a quota.
func WithQuota(ctx context.Context, q *Quota) context.Context {
	return context.WithValue(ctx, limitKey{}, q)
}

type metered struct {
	from  io.Reader
	quota *Quota
}

func (m *metered) Read(p []byte) (int, error) {
	if m.quota.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := m.from.Read(p[:min(int64(len(p)), m.quota.left)])
	m.quota.left -= int64(n)
	return n, err
}

type body struct {
	io.Reader
	io.Closer
}

// bounded returns an error instead of the bytes beyond the limit. An answer of exactly the limit is complete.
type bounded struct {
	from        io.Reader
	left, limit int64
	request     *http.Request // for the error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge(b.request, b.limit)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return max(0, n-1), tooLarge(b.request, b.limit)
	}
	return n, err
}

// Messages bounds each message of a stream. The reader of the messages calls Next before each of them.
type Messages struct {
	From  io.Reader
	Limit int64
	left  int64
}

// Next starts a message.
func (m *Messages) Next() { m.left = m.Limit }

// Read implements io.Reader.
func (m *Messages) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("%w: a message of the stream has more than %d KiB", ErrTooLarge, m.Limit>>10)
	}
	n, err := m.From.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}
