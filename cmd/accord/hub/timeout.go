package hub

import (
	"context"
	"io"
	"net/http"
	"time"
)

// RequestTimeout limits one request to the hub.
const RequestTimeout = 30 * time.Second

// withTimeout limits every request except watches. Discovery in client-go takes no context and would wait forever for a hub that
// does not answer.
func withTimeout(limit time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &timeoutTransport{next, limit} }
}

type timeoutTransport struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (b *timeoutTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Has("watch") {
		return b.next.RoundTrip(req)
	}
	ctx, end := context.WithTimeout(req.Context(), b.limit)
	resp, err := b.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = &cancelingBody{resp.Body, end}
	return resp, nil
}

// cancelingBody cancels the timeout of a request when its response has been read.
type cancelingBody struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close implements io.Closer.
func (b *cancelingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
