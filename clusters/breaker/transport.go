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

// Transport sends the requests that a breaker admits, and records their outcomes.
type Transport struct {
	Breaker *Breaker
	Next    http.RoundTripper
}

var _ utilnet.RoundTripperWrapper = Transport{}

// WrappedRoundTripper implements utilnet.RoundTripperWrapper, so that idle connections can be closed.
func (g Transport) WrappedRoundTripper() http.RoundTripper { return g.Next }

// RoundTrip implements http.RoundTripper.
func (g Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, probe := r.Context(), isProbe(r.Context())
	if err := g.Breaker.acquire(ctx, probe); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read
		}
		return nil, err
	}
	sent := time.Now()
	answer, err := g.Next.RoundTrip(r)
	if err != nil {
		g.Breaker.record(probe, sent, outcomeOfError(ctx, err, time.Since(sent)), &url.Error{Op: r.Method[:1] + strings.ToLower(r.Method[1:]), URL: r.URL.Redacted(), Err: err})
		return nil, err
	}
	v, cause := g.outcomeOf(r, answer)
	g.Breaker.record(probe, sent, v, cause)
	return answer, nil
}

// outcomeOfError classifies an error that stands in place of a response.
func outcomeOfError(ctx context.Context, err error, after time.Duration) outcome {
	switch {
	case errors.Is(err, context.Canceled), ctx.Err() != nil && after < minTimeout:
		return inconclusive
	case ctx.Err() != nil:
		return timedOut
	}
	return unreachable
}

// outcomeOf classifies a response; the error describes a failure.
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
	body := peek(answer)
	if concernsRequest(body) {
		return inconclusive, nil
	}
	return serverError, fmt.Errorf("%s %s: %d: %w", r.Method, r.URL.Path, answer.StatusCode, errorOf(answer.StatusCode, body))
}

// errorOf returns the error that an API server, or a proxy before it, wrote into a response body.
func errorOf(code int, body []byte) error {
	var s metav1.Status
	if json.Unmarshal(body, &s) == nil && s.Kind == "Status" {
		return &apierrors.StatusError{ErrStatus: s}
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: metav1.StatusReasonUnknown, Message: messageOf(body),
	}}
}

// recordRetryAfter records how long the API server asks clients to wait. If the deadline of the request is earlier,
// client-go must not wait: without the header the caller gets the API server's error instead of an exceeded deadline.
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
	// maxRetryAfter bounds the wait that an API server may ask for.
	maxRetryAfter = 5 * time.Minute
	// maxErrorBody bounds how much of an error response is read to classify it, maxMessage how much is quoted.
	maxErrorBody = 16 << 10
	maxMessage   = 200
)

// peek reads the beginning of the body and puts it back.
func peek(answer *http.Response) []byte {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
	rest := io.Reader(answer.Body)
	if err != nil {
		rest = failingReader{err}
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), answer.Body}
	return body
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// concernsRequest reports whether a response of 500 concerns one object: its webhook does not work, or the object does
// not fit its schema.
func concernsRequest(body []byte) bool {
	return bytes.Contains(body, []byte("failed calling webhook")) || bytes.Contains(body, []byte("failed to create typed patch object"))
}

func messageOf(body []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(body[:min(len(body), maxMessage)])), "")
}

// WithProbe marks the requests that are sent with ctx as probes.
func WithProbe(ctx context.Context) context.Context { return context.WithValue(ctx, probeKey{}, true) }

func isProbe(ctx context.Context) bool { return ctx.Value(probeKey{}) != nil }

type probeKey struct{}
