package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// Prefix begins the paths at which only replicas are answered.
	Prefix = "/accord.dev/"
	// publishes is answered with 204 by the replica that publishes bundles.
	publishes = Prefix + "bundles"
	// tunnels, with the name of a Cluster and the parameter uid, is answered with 204 by the replica that has its tunnel. A request to
	// upgrade to protocol makes the connection one to the agent.
	tunnels  = Prefix + "tunnels/"
	protocol = "accord-tunnel"
)

// Handler returns the handler of the requests below Prefix.
func (p *Peers) Handler() http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, yes bool) {
		if yes {
			w.WriteHeader(http.StatusNoContent)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
	}
	mux.HandleFunc("GET "+publishes, func(w http.ResponseWriter, _ *http.Request) { answer(w, p.Publishes()) })
	mux.HandleFunc("GET "+tunnels+"{cluster}", func(w http.ResponseWriter, r *http.Request) {
		t := p.Tunnel(r.PathValue("cluster"), r.URL.Query().Get("uid"))
		if t == nil || r.Header.Get("Upgrade") != protocol {
			answer(w, t != nil)
			return
		}
		agent, err := t.Dial(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		join(w, agent)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.Trust.CheckReplica(r); err != nil {
			http.Error(w, "only replicas of accord are answered here", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// join makes the connection of a request one to the agent of a cluster, until either end closes it.
func join(w http.ResponseWriter, agent net.Conn) {
	defer agent.Close()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Time{})
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+protocol+"\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(agent, buffered)
		_ = agent.Close()
	}()
	_, _ = io.Copy(conn, agent)
}

// DialAgent returns a connection to the agent of a cluster through the replica that has its tunnel.
func (p *Peers) DialAgent(ctx context.Context, cluster, uid string) (net.Conn, error) {
	at := tunnels + url.PathEscape(cluster) + "?" + url.Values{"uid": {uid}}.Encode()
	address, err := p.find(ctx, at)
	if err != nil {
		return nil, err
	}
	living, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the connection outlives the request that it is made for
	stop := context.AfterFunc(ctx, cancel)
	r, err := http.NewRequestWithContext(living, http.MethodGet, "https://"+address+at, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", protocol)
	answer, err := p.streams.RoundTrip(r)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("the replica with the tunnel: %w", err)
	}
	stream, ok := answer.Body.(io.ReadWriteCloser)
	if answer.StatusCode != http.StatusSwitchingProtocols || !ok {
		cancel()
		_ = answer.Body.Close()
		return nil, errors.New("the replica with the tunnel answers " + answer.Status)
	}
	return &connection{stream, cancel}, nil
}

// connection is a stream to an agent as a connection. It has no deadlines: the requests over it end with their contexts.
type connection struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
}

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.cancel()
	return c.ReadWriteCloser.Close()
}

// LocalAddr implements net.Conn.
func (*connection) LocalAddr() net.Addr { return address{} }

// RemoteAddr implements net.Conn.
func (*connection) RemoteAddr() net.Addr { return address{} }

// SetDeadline implements net.Conn.
func (*connection) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (*connection) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (*connection) SetWriteDeadline(time.Time) error { return nil }

// address is that of an agent.
type address struct{}

// Network implements net.Addr.
func (address) Network() string { return "tunnel" }

// String implements net.Addr.
func (address) String() string { return "agent" }
