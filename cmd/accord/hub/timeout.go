package hub

import (
	"context"
	"io"
	"net/http"
	"time"
)

// RequestTimeout is how long a hub may take to answer one request.
const RequestTimeout = 30 * time.Second

// withTimeout bounds every request but watches. Not all of client-go has a context: finding out which kinds are served
// has none, and would wait for a silent hub for ever.
func withTimeout(limit time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &timeoutTransport{next, limit} }
}

type timeoutTransport struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip makes it an http.RoundTripper.
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

// cancelingBody ends the time of a request when its answer was read.
type cancelingBody struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close makes it an io.Closer.
func (b *cancelingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
