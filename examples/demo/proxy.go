package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
)

// proxy is an HTTP proxy that accepts CONNECT, as the one between two sites.
type proxy struct {
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup
}

func newProxy() (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener}
	p.server = &http.Server{Handler: http.HandlerFunc(p.connect)}
	p.serving.Go(func() { _ = p.server.Serve(listener) })
	return p, nil
}

// connect copies a connection to the requested server and back.
func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "the proxy accepts CONNECT only", http.StatusMethodNotAllowed)
		return
	}
	far, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, buffered); _ = far.Close() }) // it may have read the first bytes
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}

func (p *proxy) close() error {
	err := p.server.Close()
	p.serving.Wait()
	return err
}

// through writes a kubeconfig that leads through a proxy at an address.
func through(direct, written, address string) error {
	config, err := clientcmd.LoadFromFile(direct)
	if err != nil {
		return err
	}
	for _, c := range config.Clusters {
		c.ProxyURL = (&url.URL{Scheme: "http", Host: address}).String()
	}
	return clientcmd.WriteToFile(*config, written)
}
