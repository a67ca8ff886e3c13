package main

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// fault is a member that does not do what it should.
type fault struct {
	name  string
	serve func(member *rest.Config) (address *rest.Config, stop func(), err error)
}

// faults are one of each kind.
func faults() []fault {
	return []fault{{"black-holed", blackHole}, {"refusing", refusing}, {"slow", slow}, {"429 and 500", sick}}
}

// blackHole takes connections and never answers.
func blackHole(member *rest.Config) (*rest.Config, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("black hole: %w", err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }() // until the other side gives up
		}
	}()
	return at(member, "https://"+l.Addr().String(), nil), func() { _ = l.Close() }, nil
}

// refusing is an address at which nobody listens.
func refusing(member *rest.Config) (*rest.Config, func(), error) {
	address, err := freeAddress()
	return at(member, "https://"+address, nil), func() {}, err
}

// slow is the member itself, a second later with every request.
func slow(member *rest.Config) (*rest.Config, func(), error) {
	to, err := url.Parse(member.Host)
	if err != nil {
		return nil, nil, fmt.Errorf("slow member: %w", err)
	}
	transport, err := rest.TransportFor(member)
	if err != nil {
		return nil, nil, fmt.Errorf("slow member: %w", err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval, proxy.Transport = -1, transport
	return serve(member, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
			proxy.ServeHTTP(w, r)
		}
	})
}

// sick says its version and that it is ready, and to everything else by turns that it is busy and that it cannot work.
func sick(member *rest.Config) (*rest.Config, func(), error) {
	var asked atomic.Int64
	return serve(member, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version", r.URL.Path == "/readyz":
			fmt.Fprint(w, `{"gitVersion":"v1.34.1"}`)
		case asked.Add(1)%2 == 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
}

// serve answers in place of a member, with a certificate of its own.
func serve(member *rest.Config, answer http.HandlerFunc) (*rest.Config, func(), error) {
	s := httptest.NewUnstartedServer(answer)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.EnableHTTP2 = true
	s.StartTLS()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return at(member, s.URL, authority), func() { s.CloseClientConnections(); s.Close() }, nil
}

// at is the same member at another address; without an authority it keeps its own.
func at(member *rest.Config, host string, authority []byte) *rest.Config {
	c := rest.CopyConfig(member)
	c.Host = host
	if authority != nil {
		c.CAData = authority
	}
	return c
}
