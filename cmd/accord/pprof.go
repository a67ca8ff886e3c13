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

// pprofAddress is a flag: where the profiles of this process are served, host:port; empty for nowhere. Only loopback is
// accepted: whoever reaches it can slow the process down, and reads what it does, and nothing asks who that is.
type pprofAddress string

// String, Set and Type make it a pflag.Value.
func (a *pprofAddress) String() string { return string(*a) }

// Type is how help calls the value.
func (*pprofAddress) Type() string { return "host:port" }

// Set refuses what is not "localhost" or a loopback address. Other names are not looked up: what they mean may change.
func (a *pprofAddress) Set(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w; it is host:port, for example 127.0.0.1:6060", err)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("profiles are served on loopback only, for example 127.0.0.1:%s: there is no login", port)
	}
	*a = pprofAddress(net.JoinHostPort(host, port))
	return nil
}

// serve answers at the address until stop is called, which waits for nobody. Without an address it does nothing.
func (a pprofAddress) serve(log *slog.Logger) (stop func(), err error) {
	if a == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", string(a))
	if err != nil {
		return nil, fmt.Errorf("serving profiles: %w", err)
	}
	// A profile takes as long as it is asked to, so there is no bound on writing one.
	server := &http.Server{Handler: profiles(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with stop
	log.Info("serving profiles", "address", listener.Addr().String())
	return func() { _ = server.Close() }, nil
}

// profiles are those of net/http/pprof, on a mux of their own: importing it puts them on the default one, which nothing
// here serves.
func profiles() *http.ServeMux {
	mux := http.NewServeMux()
	for path, handler := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("/debug/pprof/"+path, handler)
	}
	return mux
}
