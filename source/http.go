package source

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net/http"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/accord-dev/accord/internal/egress"
)

// maxRedirects bounds the redirects of one request; a renamed repository needs one.
const maxRedirects = 5

// checkRedirect refuses a redirect that would carry credentials to another server, or leaves https.
func checkRedirect(request *http.Request, via []*http.Request) error {
	first := via[0]
	switch same := request.URL.Scheme == first.URL.Scheme && request.URL.Host == first.URL.Host; {
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d redirects", ErrUnreachable, maxRedirects)
	case !same && (first.Header.Get("Authorization") != "" || request.URL.Scheme != "https"):
		return fmt.Errorf("%w: the server redirects to another server, where accord sends no credentials: correct the URL of the source", ErrUnreachable)
	}
	return nil
}

// remoteHTTP returns a remote that speaks Git's smart HTTP. Callers that trust the same certificates share
// connections; each request carries its own credentials.
func (c *Cache) remoteHTTP(at address, auth *Auth) (*remote, error) {
	client, err := c.httpClient(auth)
	if err != nil {
		return nil, err
	}
	endpoint := at.endpoint
	return &remote{open: func(context.Context) (session, error) {
		return githttp.NewClient(client).NewUploadPackSession(&endpoint, httpAuth(at, auth))
	}}, nil
}

func (c *Cache) httpClient(auth *Auth) (*http.Client, error) {
	var trusted [sha256.Size]byte
	if auth != nil {
		trusted = sha256.Sum256(auth.CA)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[trusted]; client != nil {
		return client, nil
	}
	roots, err := certificates(auth)
	if err != nil {
		return nil, err
	}
	transport := c.policy.Networks.HTTPTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	bounded := egress.Transport{Next: transport, Limit: egress.Discovery, Redirects: true, CodeOnly: true}
	c.clients[trusted] = &http.Client{Transport: bounded, CheckRedirect: checkRedirect}
	return c.clients[trusted], nil
}
