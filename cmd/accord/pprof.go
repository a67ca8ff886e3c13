package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"
)

// pprofAddress is the flag with the address of the profiles, host:port; empty for none. It accepts only loopback addresses,
// because profiles slow the process down, show its work and have no authentication.
type pprofAddress string

// String, Set and Type implement pflag.Value.
func (a *pprofAddress) String() string { return string(*a) }

func (*pprofAddress) Type() string { return "host:port" }

// Set accepts "localhost" and loopback addresses. It does not resolve other names, because their addresses may change.
func (a *pprofAddress) Set(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w: expected host:port, for example 127.0.0.1:6060", err)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("profiles have no authentication: use a loopback address, for example 127.0.0.1:%s", port)
	}
	*a = pprofAddress(net.JoinHostPort(host, port))
	return nil
}

// serve serves the profiles until stop is called; stop does not wait for clients. Without an address it does nothing.
func (a pprofAddress) serve(log *slog.Logger) (stop func(), err error) {
	if a == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", string(a))
	if err != nil {
		return nil, fmt.Errorf("serving profiles: %w", err)
	}
	// A profile takes as long as the client asks, so writing has no timeout.
	server := &http.Server{Handler: profiles(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with stop
	log.Info("serving profiles", "address", listener.Addr().String())
	return func() { _ = server.Close() }, nil
}

// profiles returns the handlers of net/http/pprof on a mux of their own. Importing the package registers them on the default
// mux, which nothing here serves.
func profiles() *http.ServeMux {
	mux := http.NewServeMux()
	for path, handler := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("/debug/pprof/"+path, handler)
	}
	return mux
}
