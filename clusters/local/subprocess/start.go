package subprocess

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"

	"k8s.io/client-go/rest"
)

// Options of a control plane in a process of its own.
type Options struct {
	Program  string // path of the executable file, which Find returns
	Version  string // of this program; the other one must have it, too
	Settings Settings
	Log      *slog.Logger
}

// A ControlPlane runs in a process of its own. Its methods may be called from any goroutine.
type ControlPlane struct {
	access  Access
	process *process

	stopOnce sync.Once
	stopping chan struct{} // closed by Stop
	done     chan struct{} // closed when the process is gone; err may be read then
	err      error
}

// Start runs the program, and returns when the API server is ready. The context bounds the start only: a control plane that has been
// returned runs until Stop, or until this process ends. After an error, the program does not run.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	p, err := run(o.Program, o.Log)
	if err != nil {
		return nil, err
	}
	kill := context.AfterFunc(ctx, p.kill)
	o.Settings.Details = o.Log.Enabled(ctx, slog.LevelDebug)
	access, err := p.begin(o)
	if err == nil && kill() {
		c := &ControlPlane{access: *access, process: p, stopping: make(chan struct{}), done: make(chan struct{})}
		go c.supervise()
		return c, nil
	}
	_ = p.stdin.Close() // the program may wait for settings
	end := p.wait()
	_, failed := errors.AsType[*Failure](err)
	_, differs := errors.AsType[*VersionError](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case failed || differs:
		return nil, err
	default:
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", o.Program, err), end)
	}
}

// supervise waits for the end of the process.
func (c *ControlPlane) supervise() {
	c.err = c.process.wait()
	select {
	case <-c.stopping:
	default:
		c.err = errors.Join(errors.New("the hub ended, because "+Program+" did"), c.err)
	}
	close(c.done)
}

// Config returns the administrator's client configuration (group system:masters, client certificate), without a client-side rate limit.
func (c *ControlPlane) Config() *rest.Config {
	return &rest.Config{Host: c.access.Server, QPS: -1, TLSClientConfig: rest.TLSClientConfig{
		CAData: c.access.CA, CertFile: c.access.Admin.CertFile, KeyFile: c.access.Admin.KeyFile,
	}}
}

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *ControlPlane) Kubeconfig() string { return c.access.Kubeconfig }

// ClientAuthority returns the certificate and the key of the authority whose client certificates the API server accepts. It reads the
// files each time, because the certificate is renewed.
func (c *ControlPlane) ClientAuthority() (*x509.Certificate, crypto.Signer, error) {
	pair, err := tls.LoadX509KeyPair(c.access.ClientAuthority.CertFile, c.access.ClientAuthority.KeyFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the authority of the hub: %w", err)
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, errors.New("reading the authority of the hub: its key cannot sign")
	}
	return pair.Leaf, key, nil
}

// Stop ends the control plane, waits until it is gone and its directory may be used again, and returns the errors of its end.
func (c *ControlPlane) Stop() error {
	c.stopOnce.Do(func() {
		close(c.stopping)
		_, _ = io.WriteString(c.process.stdin, stopOrder+"\n") // an error means that it is gone
	})
	<-c.done
	return c.err
}

// Done is closed when the control plane has ended, by itself or through Stop.
func (c *ControlPlane) Done() <-chan struct{} { return c.done }

// A process runs the program. Its stdin stays open until it ends, because the program ends at once when stdin closes.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *json.Decoder // of stdout
	stderr *relay
}

func run(program string, log *slog.Logger) (*process, error) {
	p := &process{cmd: exec.Command(program), stderr: &relay{log: log}}
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	p.lines = json.NewDecoder(stdout)
	return p, nil
}

// begin compares the versions, sends the settings, and returns the access when the control plane is ready.
func (p *process) begin(o Options) (*Access, error) {
	var hello greeting
	if err := p.lines.Decode(&hello); err != nil {
		return nil, fmt.Errorf("reading its version: %w", err)
	}
	if hello.Version != o.Version {
		return nil, &VersionError{Program: o.Program, Has: hello.Version, Want: o.Version}
	}
	if err := json.NewEncoder(p.stdin).Encode(o.Settings); err != nil {
		return nil, fmt.Errorf("sending the settings: %w", err)
	}
	var r report
	if err := p.lines.Decode(&r); err != nil {
		return nil, fmt.Errorf("reading its report: %w", err)
	}
	if r.Failure != nil {
		return nil, r.Failure
	}
	if r.Access == nil {
		return nil, errors.New("its report has no address")
	}
	return r.Access, nil
}

// kill ends the process at once.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // an error means that it is gone

// wait returns when the process is gone: the failure that it reported, or else how it ended, with its last words.
func (p *process) wait() error {
	var failure error
	for {
		var r report
		if err := p.lines.Decode(&r); err != nil {
			break
		}
		if r.Failure != nil {
			failure = r.Failure
		}
	}
	err := p.cmd.Wait()
	if err == nil || failure != nil {
		return failure
	}
	return fmt.Errorf("%s: %w\n%s", Program, err, p.stderr.last())
}
