package hub

import (
	"context"
	"io"
	"net/http"
	"time"
)

// AnswerTimeout is how long a hub may take to answer one request.
const AnswerTimeout = 30 * time.Second

// answerWithin bounds every request but watches. Not all of client-go has a context: finding out which kinds are served
// has none, and would wait for a silent hub for ever.
func answerWithin(limit time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &bounded{next, limit} }
}

type bounded struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip makes it an http.RoundTripper.
func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Has("watch") {
		return b.next.RoundTrip(req)
	}
	ctx, end := context.WithTimeout(req.Context(), b.limit)
	resp, err := b.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = &endingBody{resp.Body, end}
	return resp, nil
}

// endingBody ends the time of a request when its answer was read.
type endingBody struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close makes it an io.Closer.
func (b *endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
