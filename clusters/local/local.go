// Package local runs whole Kubernetes control planes in this process: etcd on a
// unix socket and a complete kube-apiserver, several of them side by side. It is
// the embedded hub, and it is the member clusters of tests, benchmarks and demo.
//
// A control plane is durable: everything it knows lies in one directory, survives
// kill -9, and comes back on the same port with the same certificates. It runs the
// controllers without which the API does not behave (namespace deletion, garbage
// collection of dependents, aggregated roles) and no others: a Deployment is
// stored, but nobody makes pods of it. Package clusters/local/controllers adds the
// rest, clusters/local/kwok adds nodes.
//
// Nothing is written to stdout or stderr by this package. The libraries below it
// keep some state per process (logging, feature gates), which is why building
// servers is serialised here and why their log lines all go to one logger.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/internal/diskspace"
)

// startLimit bounds a start whose caller set no deadline: twice the longest measured on a machine with a load of eight for each core.
const startLimit = 4 * time.Minute

// Options of one control plane.
type Options struct {
	Dir  string       // data directory, made 0700 if absent; required
	Name string       // shows in certificates, tokens, kubeconfig context and cluster name, so keep it; a DNS-1123 subdomain; default "accord"
	Port int          // of the API server on 127.0.0.1; 0 = the port used last time in this Dir, else a free one
	Log  *slog.Logger // nil = discard; see Start about the output that the process shares

	Rebuild   bool   // start with a new store; the old one stays beside it, and certificates and port are kept
	RotateKey bool   // encrypt the Secrets in the store with a new key
	AuditLog  string // file of the audit log; "" = none
}

// complete returns the options with an absolute directory and defaults, or an error that names the invalid option.
func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("no data directory given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("resolving data directory: %w", err)
	}
	o.Dir = dir
	if o.Name == "" {
		o.Name = "accord"
	}
	if wrong := validation.IsDNS1123Subdomain(o.Name); len(wrong) > 0 {
		return o, fmt.Errorf("name %q: %s", o.Name, strings.Join(wrong, "; "))
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// A ControlPlane is one running API server with its store. Its methods may be called from any goroutine.
type ControlPlane struct {
	access    access
	keys      pki
	store     *store
	server    *server
	releasing stack

	stop     chan struct{} // closed by Stop
	stopOnce sync.Once
	done     chan struct{} // closed when everything is released; err may be read then
	err      error
}

// Start runs a control plane on the data directory and returns when its /readyz is OK.
//
// The context bounds the start only: a control plane that has been returned runs until Stop.
// After an error nothing is left running and the directory is not locked. A directory that is in use by
// another control plane, of this process or another, is an error that names the directory.
//
// The first Start of a process decides where the process-wide logs of the Kubernetes libraries go: to its
// Log, at debug level like all lines of the components, except for the last words of one that ends the process.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	o, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("starting a control plane: %w", err)
	}
	prepareProcess(o.Log)
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()

	c := &ControlPlane{stop: make(chan struct{}), done: make(chan struct{})}
	if err := c.start(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("starting control plane %s in %s: %w", o.Name, o.Dir, err), c.releasing.unwind())
	}
	go c.supervise()
	return c, nil
}

// start brings everything up in order, and pushes for each step the function that takes it down again.
func (c *ControlPlane) start(ctx context.Context, o Options) error {
	if err := c.claim(o.Dir); err != nil {
		return err
	}
	if err := checkSpace(o.Dir); err != nil {
		return err
	}
	keys, err := ensurePKI(filepath.Join(o.Dir, "pki"), o.Name)
	if err != nil {
		return err
	}
	c.keys = keys
	secrets, err := ensureEncryption(o.Dir, o.RotateKey)
	if err != nil {
		return err
	}
	if err := c.startStore(ctx, o); err != nil {
		return err
	}
	if err := c.startServer(ctx, o, keys, secrets); err != nil {
		return err
	}
	if err := secrets.rewrite(ctx, c.access.config()); err != nil {
		return err
	}
	stop, err := startHousekeeping(c.access.config(), o.Log)
	if err != nil {
		return err
	}
	c.releasing.push(stop)
	watching, cancel := context.WithCancel(context.Background())
	c.releasing.push(func() error { cancel(); return nil })
	go keys.keepValid(watching, o.Name, c.access, o.Log)
	go (&spaceWatch{dir: o.Dir, space: diskspace.Of, store: c.store, log: o.Log}).run(watching)
	return c.access.writeKubeconfig()
}

// claim makes the data directory ours.
func (c *ControlPlane) claim(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	c.releasing.push(lock.Close)
	return nil
}

func (c *ControlPlane) startStore(ctx context.Context, o Options) error {
	socket, remove, err := socketPath(o.Dir)
	if err != nil {
		return err
	}
	c.releasing.push(remove)
	dir := filepath.Join(o.Dir, "etcd")
	if o.Rebuild {
		err = setAside(dir, time.Now())
	} else {
		err = checkStore(dir)
	}
	if err != nil {
		return err
	}
	if c.store, err = startStore(ctx, dir, socket, o.Log); err != nil {
		return err
	}
	c.releasing.push(c.store.close)
	return nil
}

// startServer returns when the API server is ready.
func (c *ControlPlane) startServer(ctx context.Context, o Options, keys pki, secrets *encryption) error {
	kubeconfig := filepath.Join(o.Dir, "kubeconfig")
	listener, err := listen(ctx, o.Port, kubeconfig)
	if err != nil {
		return err
	}
	if c.access, err = newAccess(o.Name, "https://"+listener.Addr().String(), kubeconfig, keys); err != nil {
		return errors.Join(err, listener.Close())
	}
	if c.server, err = startServer(o, keys, secrets, c.store.endpoint, listener); err != nil {
		return errors.Join(err, listener.Close())
	}
	c.releasing.push(c.server.close)
	return waitReady(ctx, c.access.config(), c.server.done)
}

// supervise owns the control plane after Start has returned: it waits for the end, releases everything and closes done.
func (c *ControlPlane) supervise() {
	var cause error
	select {
	case <-c.stop:
	case <-c.server.done:
		cause = errServerEnded
	case cause = <-c.store.failed:
	}
	c.err = errors.Join(cause, c.releasing.unwind())
	close(c.done)
}

// Config returns the administrator's client configuration (group system:masters, client certificate), without a
// client-side rate limit. Each call returns a copy of its own.
func (c *ControlPlane) Config() *rest.Config { return c.access.config() }

// Kubeconfig returns the path of the administrator's kubeconfig file beside the data. It is rewritten by each
// Start and left in place by Stop.
func (c *ControlPlane) Kubeconfig() string { return c.access.path }

// Stop ends the control plane, waits until it is gone and its directory may be used again, and returns the errors
// of its end. A second call waits for the same end and returns the same errors.
func (c *ControlPlane) Stop() error {
	c.stopOnce.Do(func() { close(c.stop) })
	<-c.done
	return c.err
}

// Done is closed when the control plane has ended, by itself or through Stop, and has released its directory.
func (c *ControlPlane) Done() <-chan struct{} { return c.done }
