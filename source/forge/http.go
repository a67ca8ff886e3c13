package forge

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	// maxRefusal bounds what is read of an answer that says no.
	maxRefusal = 64 << 10
	// maxRedirects of one request; a renamed repository needs one.
	maxRedirects = 5
)

// httpClient is what all clients send with.
func httpClient(o Options) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.CA) > 0 {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool() // a machine without certificates: the given ones count
		}
		if !roots.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("the CA holds no certificate in PEM form")
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	return &http.Client{
		Transport:     quiet{next: transport, token: o.Token},
		Timeout:       cmp.Or(o.Timeout, defaultTimeout),
		CheckRedirect: stayHere,
	}, nil
}

// stayHere follows the redirects of renamed repositories. The token must not go to another host, which clients that
// set headers of their own would do, and what was to be written must not become something to be read.
func stayHere(request *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case request.URL.Host != first.URL.Host || request.URL.Scheme != first.URL.Scheme:
		return fmt.Errorf("it redirects to %s://%s, where the token is not sent", request.URL.Scheme, request.URL.Host)
	case request.Method != first.Method:
		return errors.New("it redirects a write: the URL of the repository or of its API is not the current one")
	}
	return nil
}

// quiet takes the token out of answers that say no, before a client puts them into an error, and bounds their length.
type quiet struct {
	next  http.RoundTripper
	token string
}

// String leaves out the token.
func (quiet) String() string { return "HTTP" }

func (q quiet) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := q.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read an answer with code %d: %w", response.StatusCode, err)
	}
	if len(body) == maxRefusal { // the end may be half a token
		body = body[:max(0, len(body)-len(q.token))]
	}
	body = bytes.ReplaceAll(body, []byte(q.token), []byte("[token]"))
	response.Status = strings.ReplaceAll(response.Status, q.token, "[token]")
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response, nil
}
