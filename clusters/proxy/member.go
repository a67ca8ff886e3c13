// Package proxy forwards requests of users of the hub to the API server of one cluster. The cluster sees the account of accord, which acts
// for the user: nothing that proves the identity of the user leaves the hub.
package proxy

import (
	"fmt"
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/util/httpstream"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
)

// Member forwards requests to the API server of one cluster. It is safe for concurrent use.
type Member struct {
	name string
	base *url.URL
	// ordinary and upgrading send requests; HTTP/2 has no upgrades as exec needs them.
	ordinary, upgrading http.RoundTripper
	rights              *rights
}

// New returns the Member that a configuration leads to, whose credentials it uses. It sends no request.
func New(cfg *rest.Config, name string) (*Member, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter, cfg.DisableCompression = -1, nil, true // bytes pass as they are
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m := &Member{name: name, base: base}
	if m.ordinary, err = rest.TransportFor(cfg); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	reviews, err := authorizationv1.NewForConfigAndClient(cfg, &http.Client{Transport: m.ordinary})
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m.rights = &rights{reviews: reviews.SelfSubjectAccessReviews(), known: map[question]answer{}}
	upgrading := rest.CopyConfig(cfg)
	upgrading.NextProtos = []string{"http/1.1"}
	if m.upgrading, err = rest.TransportFor(upgrading); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	return m, nil
}

// Close closes idle connections. It does not end requests in progress.
func (m *Member) Close() {
	utilnet.CloseIdleConnectionsFor(m.ordinary)
	utilnet.CloseIdleConnectionsFor(m.upgrading)
}

// Forward sends a request, whose URL is a path on the cluster, with the rights of the caller there.
func (m *Member) Forward(w http.ResponseWriter, r *http.Request, c Caller) {
	if err := CheckPath(r.URL); err != nil {
		Refuse(w, err)
		return
	}
	c, err := m.rights.confine(r.Context(), m.name, c)
	if err != nil {
		Refuse(w, err)
		return
	}
	m.send(w, r, c)
}

// send sends a request over the connections of its form.
func (m *Member) send(w http.ResponseWriter, r *http.Request, c Caller) {
	rt := m.ordinary
	if httpstream.IsUpgradeRequest(r) {
		rt = m.upgrading
	}
	forward(w, r, m.name, m.base, rt, c)
}
