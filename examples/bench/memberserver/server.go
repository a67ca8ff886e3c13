package memberserver

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/local/selfsigned"
)

// Server is one API server. It may be used from any goroutine.
type Server struct {
	host  *Host
	store *store

	token, address string
	authority      []byte // PEM, of the certificate
	http           *http.Server
	serving        sync.WaitGroup
}

// Start serves on a free port of loopback, with the namespaces that every cluster has. Close ends it.
func (h *Host) Start(name string) (*Server, error) {
	certificate, authority, err := selfsigned.New(name)
	if err != nil {
		return nil, fmt.Errorf("certificate of member %s: %w", name, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving member %s: %w", name, err)
	}
	s := &Server{host: h, store: newStore(h), token: rand.Text(), address: listener.Addr().String(), authority: authority}
	for _, namespace := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		s.store.begin(namespace)
	}
	s.http = &http.Server{
		Handler:   s,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13},
		ErrorLog:  log.New(io.Discard, "", 0), // clients that hang up are no news
	}
	s.serving.Go(func() { _ = s.http.ServeTLS(listener, "", "") })
	return s, nil
}

// Config is for clients: who they are, whom they trust, and no limit.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host: "https://" + s.address, BearerToken: s.token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: s.authority},
	}
}

// Close ends the server and all connections to it, and forgets its objects.
func (s *Server) Close() error {
	err := s.http.Close()
	s.serving.Wait()
	s.store.close()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("closing %s: %w", s.address, err)
	}
	return nil
}
