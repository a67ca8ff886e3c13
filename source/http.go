package source

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"net/http"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

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
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	c.clients[trusted] = &http.Client{Transport: transport}
	return c.clients[trusted], nil
}
