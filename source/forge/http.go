package forge

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/accord-dev/accord/internal/egress"
)

const (
	// maxRefusal bounds how much of an error response is read, maxAnswer any other.
	maxRefusal = int(egress.Refusal)
	maxAnswer  = egress.Discovery
	// maxRedirects bounds the redirects of one request; a renamed repository needs one.
	maxRedirects = 5
)

// httpClient returns the client for all requests of a repository.
func httpClient(o Options) (*http.Client, error) {
	roots, ok := egress.Roots(o.CA)
	if !ok {
		return nil, errors.New("the CA holds no certificate in PEM form")
	}
	transport := o.Networks.HTTPTransport()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	return &http.Client{
		Transport:     redacting{next: egress.Transport{Next: transport, Limit: maxAnswer, Redirects: true}, token: o.Token},
		Timeout:       cmp.Or(o.Timeout, defaultTimeout),
		CheckRedirect: checkRedirect,
	}, nil
}

// checkRedirect follows the redirects of renamed repositories. It refuses other hosts, because clients that set their own
// headers would send the token there, and redirected writes, because they would become reads.
func checkRedirect(request *http.Request, via []*http.Request) error {
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

// redacting removes the token from error responses before a client quotes them, and bounds their length.
type redacting struct {
	next  http.RoundTripper
	token string
}

// String omits the token.
func (redacting) String() string { return "HTTP" }

func (q redacting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := q.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(maxRefusal)))
	response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read a response with code %d: %w", response.StatusCode, err)
	}
	if len(body) == maxRefusal { // the end may be a part of the token
		body = body[:max(0, len(body)-len(q.token))]
	}
	body = bytes.ReplaceAll(body, []byte(q.token), []byte("[token]"))
	response.Status = strings.ReplaceAll(response.Status, q.token, "[token]")
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response, nil
}
