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

// remoteHTTP returns a remote that speaks Git's smart HTTP. Callers with the same certificates and networks share
// connections; each request carries its own credentials.
func (c *Cache) remoteHTTP(at address, auth *Auth, networks egress.Networks) (*remote, error) {
	client, err := c.httpClient(auth, networks)
	if err != nil {
		return nil, err
	}
	endpoint := at.endpoint
	return &remote{open: func(context.Context) (session, error) {
		return githttp.NewClient(client).NewUploadPackSession(&endpoint, httpAuth(at, auth))
	}}, nil
}

// clientKey identifies the callers that share connections.
type clientKey struct {
	authorities [sha256.Size]byte // digest of the CA
	networks    string
}

func (c *Cache) httpClient(auth *Auth, networks egress.Networks) (*http.Client, error) {
	key := clientKey{networks: networks.String()}
	if auth != nil {
		key.authorities = sha256.Sum256(auth.CA)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[key]; client != nil {
		return client, nil
	}
	roots, err := certificates(auth)
	if err != nil {
		return nil, err
	}
	transport := networks.HTTPTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	bounded := egress.Transport{Next: transport, Limit: egress.Discovery, Redirects: true, CodeOnly: true}
	c.clients[key] = &http.Client{Transport: countingTransport{bounded}, CheckRedirect: checkRedirect}
	return c.clients[key], nil
}
