package source_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/accord-dev/accord/source"
)

// sshServer runs git-upload-pack for those who have the right key.
type sshServer struct {
	t      *testing.T
	addr   string
	host   ssh.Signer
	client ed25519.PrivateKey
	path   string // of git's programs
}

func newKey(t *testing.T) (ed25519.PrivateKey, ssh.Signer) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	return key, signer
}

func serveSSH(t *testing.T) *sshServer {
	s := &sshServer{t: t, path: execPath(t)}
	_, s.host = newKey(t)
	key, signer := newKey(t)
	s.client = key
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(signer.PublicKey().Marshal()) {
			return nil, io.ErrNoProgress
		}
		return nil, nil
	}}
	config.AddHostKey(s.host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.addr = listener.Addr().String()
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn, config)
		}
	}()
	return s
}

func (s *sshServer) serve(conn net.Conn, config *ssh.ServerConfig) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		for request := range requests {
			if request.Type != "exec" {
				_ = request.Reply(false, nil)
				continue
			}
			_ = request.Reply(true, nil)
			s.run(channel, string(request.Payload[4:]))
			break
		}
	}
}

func (s *sshServer) run(channel ssh.Channel, command string) {
	defer channel.Close()
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+s.path+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(stdin, channel)
		stdin.Close()
	}()
	status := make([]byte, 4)
	if err := cmd.Run(); err != nil {
		status[3] = 128
	}
	_, _ = channel.SendRequest("exit-status", false, status)
}

func (s *sshServer) url(u *upstream) string { return "ssh://git@" + s.addr + u.dir + "/.git" }

func (s *sshServer) auth() *source.Auth {
	return &source.Auth{Identity: identity(s.t, s.client, ""), KnownHosts: s.knownHosts(s.host)}
}

func (s *sshServer) knownHosts(key ssh.Signer) []byte {
	return []byte(knownhosts.Line([]string{knownhosts.Normalize(s.addr)}, key.PublicKey()) + "\n")
}

func identity(t *testing.T, key ed25519.PrivateKey, passphrase string) []byte {
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	require.NoError(t, err)
	return pem.EncodeToMemory(block)
}

func TestSSH(t *testing.T) {
	t.Parallel()
	up := newUpstream(t)
	first := up.commit("first", "a.yaml", "a: 1\n")
	server := serveSSH(t)
	_, other := newKey(t)
	otherKey, _ := newKey(t)

	for name, test := range map[string]struct {
		change func(*source.Auth)
		path   string
		kind   error
		says   string
	}{
		"right key, known host": {},
		"key with passphrase": {change: func(a *source.Auth) {
			a.Identity, a.IdentityPassphrase = identity(t, server.client, "open sesame"), "open sesame"
		}},
		"wrong passphrase": {change: func(a *source.Auth) {
			a.Identity, a.IdentityPassphrase = identity(t, server.client, "open sesame"), "close sesame"
		}, kind: source.ErrInvalid},
		"wrong key":      {change: func(a *source.Auth) { a.Identity = identity(t, otherKey, "") }, kind: source.ErrAuth, says: `rejects the SSH key for user "git"`},
		"no key":         {change: func(a *source.Auth) { a.Identity = nil }, kind: source.ErrAuth},
		"no known_hosts": {change: func(a *source.Auth) { a.KnownHosts = nil }, kind: source.ErrHostKey, says: "SSH needs known_hosts"},
		"unknown host": {change: func(a *source.Auth) {
			a.KnownHosts = []byte("elsewhere.example " + string(ssh.MarshalAuthorizedKey(server.host.PublicKey())))
		}, kind: source.ErrHostKey, says: "does not mention"},
		"another host key":  {change: func(a *source.Auth) { a.KnownHosts = server.knownHosts(other) }, kind: source.ErrHostKey, says: "presents another key"},
		"known_hosts is no": {change: func(a *source.Auth) { a.KnownHosts = []byte("what is this\n") }, kind: source.ErrInvalid, says: "known_hosts:1"},
		"no repository":     {path: "/nowhere", kind: source.ErrNotRepository, says: "does not appear to be a git repository"},
		"quotes in path":    {path: "/it's $(here)!", kind: source.ErrNotRepository, says: "it's $(here)!"},
	} {
		t.Run(name, func(t *testing.T) {
			o := source.Options{Insecure: true, URL: server.url(up), Auth: server.auth()}
			if test.change != nil {
				test.change(o.Auth)
			}
			if test.path != "" {
				o.URL = "ssh://git@" + server.addr + test.path
			}
			s, err := newCache(t).Fetch(context.Background(), o)
			if test.kind == nil {
				require.NoError(t, err)
				require.Equal(t, first, s.Commit)
				return
			}
			require.ErrorIs(t, err, test.kind)
			require.Contains(t, err.Error(), test.says)
			require.NotContains(t, err.Error(), "sesame")
			require.NotContains(t, err.Error(), "known_hosts-", "a file nobody else knows")
		})
	}
}
