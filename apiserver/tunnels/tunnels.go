// Package tunnels accepts the tunnels of agents, knows those that are open in this process, and finds those of other replicas.
package tunnels

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters/tunnel"
)

const (
	// idleTimeout is the time after which an unused connection through another replica ends, maxIdle the number of those to one cluster.
	idleTimeout = time.Minute
	maxIdle     = 50
)

// Elsewhere returns a connection to the agent of a cluster through another replica.
type Elsewhere func(ctx context.Context, cluster, uid string) (net.Conn, error)

// Set has the open tunnels of one process, at most one for each cluster.
type Set struct {
	elsewhere Elsewhere
	remote    *http.Transport // its connections lead to agents through other replicas

	mu     sync.Mutex
	open   map[string]opened
	closed bool
}

// opened is a tunnel, with the UID of the Cluster whose agent opened it.
type opened struct {
	*tunnel.Tunnel
	uid types.UID
}

// New returns a Set without tunnels. A nil elsewhere: there are no other replicas.
func New(elsewhere Elsewhere) *Set {
	s := &Set{open: map[string]opened{}, elsewhere: elsewhere}
	s.remote = &http.Transport{DialContext: s.dial, DisableCompression: true, IdleConnTimeout: idleTimeout, MaxIdleConnsPerHost: maxIdle}
	return s
}

// Of returns the way through the tunnel of a cluster, which is open to this replica or to another one. Requests fail with 503 if it is
// open to none. A tunnel of an earlier Cluster with the same name is not used.
func (s *Set) Of(cluster string, uid types.UID) http.RoundTripper {
	if t := s.Here(cluster, uid); t != nil {
		return t
	}
	return through{s.remote, cluster + "." + string(uid)}
}

// through sends requests over connections that other replicas have to one agent.
type through struct {
	remote *http.Transport
	host   string // the name and the UID of the Cluster
}

// RoundTrip implements http.RoundTripper. The host of the request counts for nothing: the agent serves it.
func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = t.host
	return t.remote.RoundTrip(r)
}

// dial connects to the agent of the Cluster that an address has the name and the UID of.
func (s *Set) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	at := strings.LastIndexByte(host, '.')
	cluster, uid := host[:at], host[at+1:]
	if s.elsewhere == nil {
		return nil, closed(cluster)
	}
	conn, err := s.elsewhere(ctx, cluster, uid)
	if err != nil {
		return nil, closed(cluster)
	}
	return conn, nil
}

// closed returns the error of a cluster without a tunnel. Its agent may open one a moment later.
func closed(cluster string) error {
	err := apierrors.NewServiceUnavailable(fmt.Sprintf("the agent of cluster %q has no tunnel open to the hub: try again; an agent with --no-tunnel opens none", cluster))
	err.ErrStatus.Details = &metav1.StatusDetails{Kind: "clusters", Name: cluster, RetryAfterSeconds: 1}
	return err
}

// Here returns the tunnel of a cluster that is open to this replica; nil if none is. A tunnel of an earlier Cluster with the same name is
// not returned.
func (s *Set) Here(cluster string, uid types.UID) *tunnel.Tunnel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.open[cluster]; o.uid == uid {
		return o.Tunnel
	}
	return nil
}

// add adds a tunnel. It replaces an earlier one of the cluster: an agent that starts again does not wait until the hub misses the
// connection of the one before. A closed Set closes the tunnel.
func (s *Set) add(cluster string, uid types.UID, t *tunnel.Tunnel) {
	s.mu.Lock()
	before := s.open[cluster].Tunnel
	if s.closed {
		before = t
	} else {
		s.open[cluster] = opened{t, uid}
	}
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// remove closes a tunnel.
func (s *Set) remove(cluster string, t *tunnel.Tunnel) {
	s.mu.Lock()
	if s.open[cluster].Tunnel == t {
		delete(s.open, cluster)
	}
	s.mu.Unlock()
	t.Close()
}

// Close closes all tunnels, and those that are added later: their agents connect to another replica.
func (s *Set) Close() {
	s.mu.Lock()
	open := s.open
	s.open, s.closed = map[string]opened{}, true
	s.mu.Unlock()
	for _, o := range open {
		o.Close()
	}
	s.remote.CloseIdleConnections()
}
