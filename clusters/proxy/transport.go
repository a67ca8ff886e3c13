package proxy

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Behind returns the part of the URL of a request behind a prefix, with the query of the caller: the path on a cluster of a request to the
// hub. It returns an error if CheckPath refuses the path.
func Behind(r *http.Request, prefix string) (*url.URL, error) {
	u := r.URL
	path, ok := strings.CutPrefix(u.Path, prefix)
	raw, rawOK := strings.CutPrefix(u.EscapedPath(), prefix)
	if !rawOK { // a "*" may be escaped
		raw, rawOK = strings.CutPrefix(u.EscapedPath(), (&url.URL{Path: prefix}).EscapedPath())
	}
	if !ok || !rawOK {
		return nil, apierrors.NewBadRequest("the path begins with " + prefix + ", without escapes")
	}
	if path == "" {
		path, raw = "/", "/"
	}
	at := &url.URL{Path: path, RawPath: raw, RawQuery: queryOf(r)}
	return at, CheckPath(at)
}

// RoundTrip implements http.RoundTripper. It sends a request with the rights of accord, whose URL is a path on the cluster.
func (m *Member) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = ""
	r.URL.Scheme, r.URL.Host = m.base.Scheme, m.base.Host
	r.URL.Path, r.URL.RawPath = below(m.base, r.URL)
	return m.ordinary.RoundTrip(r)
}

// Forward sends a request, whose URL is a path on a cluster, in the name of its caller, and writes the answer.
type Forward func(http.ResponseWriter, *http.Request, Caller)

// Transport sends requests in the name of one caller. It makes no upgrades.
type Transport struct {
	Forward Forward
	Caller  Caller
}

// RoundTrip implements http.RoundTripper. The host of the URL counts for nothing. The body of the answer ends with the context of the
// request.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, to := io.Pipe()
	a := &response{header: http.Header{}, to: to, begun: make(chan struct{})}
	r = r.Clone(r.Context())
	if r.Body == nil {
		r.Body = http.NoBody
	}
	go func() {
		defer func() {
			a.WriteHeader(http.StatusOK)
			// httputil.ReverseProxy panics if the server breaks off
			if broken := recover(); broken != nil {
				_ = to.CloseWithError(io.ErrUnexpectedEOF)
				return
			}
			_ = to.Close()
		}()
		t.Forward(a, r, t.Caller)
	}()
	select {
	case <-a.begun:
	case <-r.Context().Done():
		_ = body.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.sent, Body: body, ContentLength: -1, Request: r,
	}, nil
}

// response is the ResponseWriter of a Transport.
type response struct {
	header, sent http.Header
	code         int
	once         sync.Once
	begun        chan struct{}
	to           *io.PipeWriter
}

// Header implements http.ResponseWriter.
func (a *response) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *response) WriteHeader(code int) {
	if code < http.StatusOK { // 1xx
		return
	}
	a.once.Do(func() {
		a.code, a.sent = code, a.header.Clone()
		close(a.begun)
	})
}

// Write implements http.ResponseWriter.
func (a *response) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.to.Write(p)
}

// Flush implements http.Flusher. Nothing is buffered.
func (a *response) Flush() { a.WriteHeader(http.StatusOK) }
