package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
)

// answerLimit bounds an answer about versions.
const answerLimit = 1 << 20

// Versions returns the versions of accord and of the API server. That of accord is empty if it serves no aggregated API, or does not run.
func (h *Hub) Versions(ctx context.Context) (accord, kubernetes string, err error) {
	c, err := rest.HTTPClientFor(h.Config)
	if err != nil {
		return "", "", err
	}
	_, body, err := h.get(ctx, c, "/version")
	if err != nil {
		return "", "", err
	}
	var v version.Info
	if err := json.Unmarshal(body, &v); err != nil {
		return "", "", fmt.Errorf("reading the version of %s: %w", h.Config.Host, err)
	}
	header, _, err := h.get(ctx, c, "/apis/"+delivery.GroupVersion.String())
	if err != nil {
		return "", v.GitVersion, nil // the aggregated API is off, or its replicas are away
	}
	return header.Get(delivery.VersionHeader), v.GitVersion, nil
}

// get returns the header and the body of an answer.
func (h *Hub) get(ctx context.Context, c *http.Client, path string) (http.Header, []byte, error) {
	base, _, err := rest.DefaultServerUrlFor(h.Config)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath(path).String(), nil)
	if err != nil {
		return nil, nil, err
	}
	answer, err := c.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("GET %s: %s", r.URL, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, answerLimit))
	return answer.Header, body, err
}
