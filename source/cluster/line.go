package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// ReadOnly returns a transport that sends GET requests, and refuses all others: no mistake of accord writes to a cluster that it only
// reads.
func ReadOnly(next http.RoundTripper) http.RoundTripper { return readOnly{next} }

type readOnly struct{ next http.RoundTripper }

func (r readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return nil, fmt.Errorf("refused %s %s: accord only reads this cluster", request.Method, request.URL.Path)
	}
	return r.next.RoundTrip(request)
}

// ending ends its requests when ctx ends: discovery takes no context.
type ending struct {
	ctx  context.Context
	next http.RoundTripper
}

func (e ending) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(e.ctx, cancel)
	end := sync.OnceFunc(func() { stop(); cancel() })
	answer, err := e.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	answer.Body = body{answer.Body, end}
	return answer, nil
}

// body calls end when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

func (b body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
