package breaker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Transport sends requests as far as a breaker lets it, and tells the breaker what became of them.
type Transport struct {
	Breaker *Breaker
	Next    http.RoundTripper
}

var _ utilnet.RoundTripperWrapper = Transport{}

// WrappedRoundTripper lets idle connections be closed.
func (g Transport) WrappedRoundTripper() http.RoundTripper { return g.Next }

// RoundTrip is http.RoundTripper's.
func (g Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, probe := r.Context(), isProbe(r.Context())
	if err := g.Breaker.acquire(ctx, probe); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read of it
		}
		return nil, err
	}
	sent := time.Now()
	answer, err := g.Next.RoundTrip(r)
	if err != nil {
		g.Breaker.record(probe, outcomeOfError(ctx, err, time.Since(sent)), &url.Error{Op: r.Method[:1] + strings.ToLower(r.Method[1:]), URL: r.URL.Redacted(), Err: err})
		return nil, err
	}
	v, cause := g.outcomeOf(r, answer)
	g.Breaker.record(probe, v, cause)
	return answer, nil
}

// outcomeOfError is what an error in place of an answer says of the cluster.
func outcomeOfError(ctx context.Context, err error, after time.Duration) outcome {
	if errors.Is(err, context.Canceled) || ctx.Err() != nil && after < minTimeout {
		return inconclusive
	}
	return unreachable
}

// outcomeOf is what an answer says of the cluster.
func (g Transport) outcomeOf(r *http.Request, answer *http.Response) (outcome, error) {
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized:
		return unreachable, fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, apierrors.NewUnauthorized("Unauthorized"))
	case code == http.StatusTooManyRequests:
		g.recordRetryAfter(r.Context(), answer)
		return throttled, nil
	case code < http.StatusInternalServerError, code == http.StatusNotImplemented:
		return healthy, nil
	}
	g.recordRetryAfter(r.Context(), answer)
	said := peek(answer)
	if aboutRequest(said) {
		return inconclusive, nil
	}
	return serverError, fmt.Errorf("%s %s: %d: %w", r.Method, r.URL.Path, answer.StatusCode, errorOf(answer.StatusCode, said))
}

// errorOf is what an API server, or something before it, said.
func errorOf(code int, said []byte) error {
	var s metav1.Status
	if json.Unmarshal(said, &s) == nil && s.Kind == "Status" {
		return &apierrors.StatusError{ErrStatus: s}
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: metav1.StatusReasonUnknown, Message: messageOf(said),
	}}
}

// recordRetryAfter notes how long the API server asks to be left alone. Where a request would wait longer than it may, it is not
// waited for: its error is what the API server said then, and not that the time is over.
func (g Transport) recordRetryAfter(ctx context.Context, answer *http.Response) {
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds <= 0 {
		return
	}
	until := time.Now().Add(min(time.Duration(seconds)*time.Second, maxRetryAfter))
	g.Breaker.mu.Lock()
	g.Breaker.retryAt = until
	g.Breaker.mu.Unlock()
	if deadline, ok := ctx.Deadline(); ok && until.After(deadline) {
		answer.Header.Del("Retry-After")
	}
}

const (
	// maxRetryAfter is how long an API server may ask to be left alone.
	maxRetryAfter = 5 * time.Minute
	// maxErrorBody is how much of an error is read to see what it is about, maxSaid how much of it is told.
	maxErrorBody = 16 << 10
	maxMessage   = 200
)

// peek reads the beginning of a body, and leaves it as it was.
func peek(answer *http.Response) []byte {
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
	rest := io.Reader(answer.Body)
	if err != nil {
		rest = failingReader{err}
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(said), rest), answer.Body}
	return said
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// aboutRequest says that an answer of 500 is about one object: a webhook for it does not work, or it does not fit its schema.
func aboutRequest(said []byte) bool {
	return bytes.Contains(said, []byte("failed calling webhook")) || bytes.Contains(said, []byte("failed to create typed patch object"))
}

func messageOf(said []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(said[:min(len(said), maxMessage)])), "")
}

// WithProbe marks what is sent with ctx as a probe.
func WithProbe(ctx context.Context) context.Context { return context.WithValue(ctx, probeKey{}, true) }

func isProbe(ctx context.Context) bool { return ctx.Value(probeKey{}) != nil }

type probeKey struct{}
