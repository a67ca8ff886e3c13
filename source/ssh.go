package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"

	"github.com/accord-dev/accord/internal/egress"
)

// remoteSSH returns a remote that speaks Git's protocol over SSH. go-git's SSH transport reads the machine's
// ssh_config and agent and cannot be interrupted while the server is silent.
func remoteSSH(at address, auth *Auth, networks egress.Networks) (*remote, error) {
	config, err := sshConfig(at, auth)
	if err != nil {
		return nil, err
	}
	known, err := knownHosts(auth)
	if err != nil {
		return nil, err
	}
	port := at.endpoint.Port
	if port == 0 {
		port = 22
	}
	host := net.JoinHostPort(strings.Trim(at.endpoint.Host, "[]"), strconv.Itoa(port))
	config.HostKeyAlgorithms = known.HostKeyAlgorithms(host)
	if len(config.HostKeyAlgorithms) == 0 {
		return nil, fmt.Errorf("%w: known_hosts does not mention %s", ErrHostKey, host)
	}
	return &remote{open: func(ctx context.Context) (session, error) {
		client, stop, err := dialSSH(ctx, networks.Dialer(), host, *config, known)
		if err != nil {
			return nil, err
		}
		s := &sshSession{client: client, stop: stop}
		if err := s.start("git-upload-pack " + shellQuote(at.endpoint.Path)); err != nil {
			s.Close()
			return nil, err
		}
		return s, nil
	}}, nil
}

// dialSSH connects and authenticates. The connection is closed when ctx ends, which ends all reads and writes, unless
// stop is called first.
func dialSSH(ctx context.Context, dialer *net.Dialer, host string, config ssh.ClientConfig, known *knownhosts.HostKeyDB) (*ssh.Client, func() bool, error) {
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })

	key := hostKey{check: known.HostKeyCallback()}
	config.HostKeyCallback = key.verify
	c, channels, requests, err := ssh.NewClientConn(conn, host, &config)
	if err != nil {
		stop()
		conn.Close()
		return nil, nil, key.explain(err, host, config.User)
	}
	return ssh.NewClient(c, channels, requests), stop, nil
}

// hostKey records the result of the host key check, because the error of the handshake does not contain it.
type hostKey struct {
	check ssh.HostKeyCallback
	wrong error
	right bool
}

func (k *hostKey) verify(hostname string, remote net.Addr, key ssh.PublicKey) error {
	k.wrong = k.check(hostname, remote, key)
	k.right = k.wrong == nil
	return k.wrong
}

func (k *hostKey) explain(err error, host, user string) error {
	_, isNet := errors.AsType[net.Error](err)
	_, noCommonKey := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	switch {
	case k.wrong != nil && knownhosts.IsHostKeyChanged(k.wrong):
		return fmt.Errorf("%w: %s presents another key than known_hosts has", ErrHostKey, host)
	case k.wrong != nil:
		return fmt.Errorf("%w: %w", ErrHostKey, k.wrong)
	case noCommonKey:
		return fmt.Errorf("%w: %s offers no key of a type that known_hosts has: %w", ErrHostKey, host, err)
	case k.right && !isNet && !errors.Is(err, io.EOF):
		// The host key is correct and the server responds, so authentication failed.
		return fmt.Errorf("%w: the server rejects the SSH key for user %q", ErrAuth, user)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// sshSession is git-upload-pack running on the server.
type sshSession struct {
	client     *ssh.Client
	stop       func() bool
	session    *ssh.Session
	stdin      io.WriteCloser
	stdout     io.Reader
	quota      *egress.Quota // of stdout
	stderr     excerpt
	advertised *packp.AdvRefs
}

func (s *sshSession) start(command string) (err error) {
	if s.session, err = s.client.NewSession(); err != nil {
		return fmt.Errorf("%w: open an SSH session: %w", ErrUnreachable, err)
	}
	if s.stdin, err = s.session.StdinPipe(); err != nil {
		return fmt.Errorf("open an SSH session: %w", err)
	}
	stdout, err := s.session.StdoutPipe()
	if err != nil {
		return fmt.Errorf("open an SSH session: %w", err)
	}
	s.quota = egress.NewQuota(egress.Discovery)
	s.stdout = s.quota.Reader(stdout)
	s.session.Stderr = &s.stderr
	if err := s.session.Start(command); err != nil {
		return fmt.Errorf("%w: the SSH server does not run git-upload-pack: %w", ErrNotRepository, err)
	}
	return nil
}

func (s *sshSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

func (s *sshSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	if s.advertised != nil {
		return s.advertised, nil
	}
	advertised := packp.NewAdvRefs()
	err := advertised.Decode(counted(ctx, s.stdout))
	switch {
	case errors.Is(err, packp.ErrEmptyInput):
		return nil, s.noAnswer()
	case errors.Is(err, packp.ErrEmptyAdvRefs), err == nil && advertised.IsEmpty():
		return nil, transport.ErrEmptyRemoteRepository
	case err != nil:
		return nil, err
	}
	transport.FilterUnsupportedCapabilities(advertised.Capabilities)
	s.advertised = advertised
	return advertised, nil
}

// noAnswer returns the cause of a missing response from the error output.
func (s *sshSession) noAnswer() error {
	err := s.session.Wait() // the output has ended, so the command has exited and its error output is complete
	if sentence := s.stderr.text.String(); sentence != "" {
		return refusal(sentence)
	}
	return fmt.Errorf("%w: the server closed the connection without a response: %v", ErrUnreachable, err)
}

func (s *sshSession) UploadPack(_ context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	err := req.UploadRequest.Encode(s.stdin)
	if err == nil {
		err = req.UploadHaves.Encode(s.stdin, false)
	}
	if err == nil {
		err = pktline.NewEncoder(s.stdin).Encodef("done\n")
	}
	if err == nil {
		err = s.stdin.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the server has already rejected the request and its response has the cause
		return nil, fmt.Errorf("%w: request a pack: %w", ErrUnreachable, err)
	}
	answer := packp.NewUploadPackResponse(req)
	s.quota.Set(maxPackHead)
	if err := answer.Decode(io.NopCloser(s.stdout)); err != nil {
		return nil, err
	}
	s.quota.Set(math.MaxInt64) // the reader of the pack has a bound of its own
	return answer, nil
}

func (s *sshSession) Close() error {
	s.stop()
	return s.client.Close()
}

// excerpt keeps the beginning of the text that is written to it.
type excerpt struct{ text bytes.Buffer }

func (e *excerpt) Write(p []byte) (int, error) {
	const most = 1024
	e.text.Write(p[:min(len(p), max(0, most-e.text.Len()))])
	return len(p), nil
}

// shellQuote quotes s as one word for the remote shell, as git does.
func shellQuote(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(s) + "'"
}
