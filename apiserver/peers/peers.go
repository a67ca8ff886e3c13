// Package peers connects the aggregated API servers of several replicas of accord on one hub. A request that another replica has to answer,
// because it leads or has the tunnel of the cluster, goes on to that replica, whichever one the hub's API server chose.
//
// Each replica writes its address into a Lease. Nothing else is stored: a replica asks the others for the one that it needs. Replicas
// prove themselves to each other by certificates of accord's own authority. A request that comes from a replica is never forwarded again.
package peers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/accord-dev/accord/apiserver/certificate"
	"github.com/accord-dev/accord/clusters/tunnel"
)

const (
	// askTime bounds a question to another replica, with the connection to it.
	askTime = 2 * time.Second
	// listAgain is the least time between two lists of the Leases that requests cause.
	listAgain = time.Second
	// pingAfter is the silence after which a replica asks another one for a sign of life, pingTimeout the time that it waits for the answer.
	pingAfter, pingTimeout = 5 * time.Second, 5 * time.Second
)

// Options of the connections of one replica.
type Options struct {
	// Leases of accord's namespace. Required verbs: create, delete, get, list, update.
	Leases coordinationclient.LeaseInterface
	// Identity of this replica, unique on the hub, and Address, host:port, at which the others reach it.
	Identity, Address string
	// Host is the name in the certificates of the servers of replicas. Own is the certificate of this replica as a client, Trust the
	// authority of all.
	Host  string
	Own   *certificate.Leaf
	Trust *certificate.Trust
	// Publishes reports whether this replica publishes bundles.
	Publishes func() bool
	// Tunnel returns the tunnel of a cluster that is open to this replica, by the name and the UID of the Cluster; nil if none is.
	Tunnel func(cluster, uid string) *tunnel.Tunnel
	Log    *slog.Logger
}

// Peers knows the other replicas, and connects to them. It is safe for concurrent use.
type Peers struct {
	Options
	// requests has HTTP/2 connections, for many requests at once, and streams has one connection for each stream of a tunnel.
	requests, streams *http.Transport
	own               *coordinationv1.Lease // that of this replica as last written, nil for none; only Run uses it

	mu        sync.Mutex
	known     map[string]peer // by the names of their Leases
	listed    time.Time       // start of the last list
	publisher string          // address of the replica that published bundles last; "" if that is unknown
}

// New returns the connections of a replica, which knows no other one before Run.
func New(o Options) *Peers {
	p := &Peers{Options: o, known: map[string]peer{}}
	p.requests = &http.Transport{
		DialTLSContext: p.dialer("h2"), ForceAttemptHTTP2: true, DisableCompression: true, IdleConnTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}
	p.streams = &http.Transport{DialTLSContext: p.dialer("http/1.1"), DisableKeepAlives: true, DisableCompression: true}
	return p
}

// dialer returns the function that connects to the server of a replica, which proves that it is one.
func (p *Peers) dialer(protocol string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		own, err := tls.X509KeyPair(p.Own.CurrentCertKeyContent())
		if err != nil {
			return nil, fmt.Errorf("the certificate of this replica: %w", err)
		}
		return (&tls.Dialer{Config: &tls.Config{
			MinVersion: tls.VersionTLS13, RootCAs: p.Trust.Roots(), ServerName: p.Host, Certificates: []tls.Certificate{own}, NextProtos: []string{protocol},
		}}).DialContext(ctx, network, address)
	}
}

// errNone is the error if no other replica has the thing that a request needs.
var errNone = errors.New("no other replica has it")

// find returns the address of a replica that answers a question with yes, and errNone if there is none.
func (p *Peers) find(ctx context.Context, question string) (string, error) {
	addresses := p.addresses()
	if address, err := p.ask(ctx, addresses, question); err == nil {
		return address, nil
	}
	if !p.listDue() {
		return "", errNone
	}
	if err := p.list(ctx); err != nil { // of a replica that began, or got another address
		return "", err
	}
	if now := p.addresses(); !slices.Equal(now, addresses) {
		return p.ask(ctx, now, question)
	}
	return "", errNone
}

// ask asks replicas a question, all at once, and returns the first one that answers with yes.
func (p *Peers) ask(ctx context.Context, addresses []string, question string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	yes := make(chan string, len(addresses))
	for _, address := range addresses {
		go func() {
			if !p.affirms(ctx, address, question) {
				address = ""
			}
			yes <- address
		}()
	}
	for range addresses {
		if address := <-yes; address != "" {
			return address, nil
		}
	}
	return "", errNone
}

// affirms reports whether a replica answers a question with yes.
func (p *Peers) affirms(ctx context.Context, address, question string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+question, nil)
	if err != nil {
		return false
	}
	answer, err := p.requests.RoundTrip(r)
	if err != nil {
		p.Log.Debug("another replica does not answer", "address", address, "error", err)
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<10))
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusNoContent
}

// addresses returns those of the other replicas that are alive, sorted.
func (p *Peers) addresses() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var all []string
	for _, k := range p.known {
		if k.alive(now) {
			all = append(all, k.address)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listDue reports whether a request may cause a list of the Leases.
func (p *Peers) listDue() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.listed) > listAgain
}

// Address returns the address at which other machines reach a listener: its own, or that of this machine if it listens at all addresses.
func Address(listener net.Listener) (string, error) {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return "", fmt.Errorf("%s is no TCP address", listener.Addr())
	}
	ip := at.IP
	if ip.IsUnspecified() {
		var err error
		if ip, err = utilnet.ResolveBindAddress(ip); err != nil {
			return "", fmt.Errorf("finding the address of this machine: %w", err)
		}
	}
	return (&net.TCPAddr{IP: ip, Port: at.Port, Zone: at.Zone}).String(), nil
}
