// Package child is the program accord-apiserver: a control plane in a process that accord runs.
package child

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/clusters/local/subprocess"
	"github.com/accord-dev/accord/internal/version"
)

// Main is the main function of the program. It ends the process.
func Main() {
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		fmt.Fprintf(os.Stderr, "%s %s is the API server of \"accord up\", which runs it\n", subprocess.Program, version.Get().Version)
		os.Exit(2)
	}
	// A terminal and a service manager send signals to all processes. The controllers need the hub until they have ended.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := subprocess.Serve(version.Get().Version, os.Stdin, os.Stdout, os.Stderr, start); err != nil {
		os.Exit(1) // accord has the reason
	}
	os.Exit(0)
}

// plane is a control plane of this process.
type plane struct{ *local.ControlPlane }

// start starts the control plane, and names the failures that have a remedy.
func start(ctx context.Context, s subprocess.Settings, log *slog.Logger) (subprocess.Plane, error) {
	p, err := local.Start(ctx, local.Options{Dir: s.Dir, Port: s.Port, Log: log, Rebuild: s.Rebuild, RotateKey: s.RotateKey, AuditLog: s.AuditLog})
	if err == nil {
		return plane{p}, nil
	}
	f := &subprocess.Failure{Message: err.Error()}
	if _, damaged := errors.AsType[*local.DamagedStoreError](err); damaged {
		f.Reason = subprocess.DamagedStore
	}
	if taken, ok := errors.AsType[*local.PortTakenError](err); ok {
		f.Reason, f.Port = subprocess.PortTaken, taken.Port
	}
	return nil, f
}

// Access implements subprocess.Plane.
func (p plane) Access() subprocess.Access {
	c := p.Config()
	certificate, key := p.AuthorityFiles()
	return subprocess.Access{
		Server: c.Host, Kubeconfig: p.Kubeconfig(), CA: c.CAData,
		Admin:           subprocess.Pair{CertFile: c.CertFile, KeyFile: c.KeyFile},
		ClientAuthority: subprocess.Pair{CertFile: certificate, KeyFile: key},
	}
}
