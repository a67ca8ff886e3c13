package source

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"

	"github.com/accord-dev/accord/internal/egress"
)

// Auth holds the credentials of one caller. Line ends after a password or token, common in Secrets, are ignored. Over
// http:// credentials are sent in clear text, as git does.
type Auth struct {
	// Username and Password are for HTTP. Most hosts accept a token as Password and then ignore Username, which
	// defaults to "git". Username is also the SSH user if the URL has none.
	Username, Password string
	// BearerToken is for HTTP and takes precedence over Username and Password.
	BearerToken string
	// CA is a PEM bundle that HTTPS trusts in addition to the system's.
	CA []byte
	// Identity is an SSH private key in PEM form. The machine's own keys, ssh-agent and ssh_config are never used.
	Identity           []byte
	IdentityPassphrase string
	// KnownHosts, in OpenSSH's format, must contain the SSH server.
	KnownHosts []byte
}

// httpAuth returns nil if there are no credentials.
func httpAuth(at address, auth *Auth) transport.AuthMethod {
	if auth != nil && auth.BearerToken != "" {
		return &githttp.TokenAuth{Token: strings.TrimSpace(auth.BearerToken)}
	}
	if basic := basicAuth(at, auth); basic.Username != "" || basic.Password != "" {
		return basic
	}
	return nil
}

func basicAuth(at address, auth *Auth) *githttp.BasicAuth {
	basic := &githttp.BasicAuth{Username: at.user, Password: at.password}
	if auth != nil && (auth.Username != "" || auth.Password != "") {
		basic.Username, basic.Password = auth.Username, strings.TrimRight(auth.Password, "\r\n")
	}
	if basic.Password != "" {
		basic.Username = cmp.Or(basic.Username, "git")
	}
	return basic
}

// certificates returns nil, which stands for the system's certificates, if auth adds none.
func certificates(auth *Auth) (*x509.CertPool, error) {
	if auth == nil {
		return nil, nil
	}
	pool, ok := egress.Roots(auth.CA)
	if !ok {
		return nil, fmt.Errorf("%w: the CA bundle holds no PEM certificate", ErrInvalid)
	}
	return pool, nil
}

// sshConfig returns a configuration without host key algorithms, because these depend on the host: see [knownHosts].
func sshConfig(at address, auth *Auth) (*ssh.ClientConfig, error) {
	if auth == nil || len(auth.Identity) == 0 {
		return nil, fmt.Errorf("%w: SSH needs a private key (identity)", ErrAuth)
	}
	signer, err := parseIdentity(auth)
	if err != nil {
		return nil, err
	}
	return &ssh.ClientConfig{
		User: cmp.Or(at.endpoint.User, auth.Username, "git"),
		Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
	}, nil
}

func parseIdentity(auth *Auth) (ssh.Signer, error) {
	var signer ssh.Signer
	var err error
	if auth.IdentityPassphrase == "" {
		signer, err = ssh.ParsePrivateKey(auth.Identity)
	} else {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(auth.Identity, []byte(auth.IdentityPassphrase))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the SSH private key: %w", ErrInvalid, err)
	}
	return signer, nil
}

// knownHosts parses auth.KnownHosts. The library reads only files, so the text is written to a temporary one.
func knownHosts(auth *Auth) (*knownhosts.HostKeyDB, error) {
	if len(strings.TrimSpace(string(auth.KnownHosts))) == 0 {
		return nil, fmt.Errorf("%w: SSH needs known_hosts; create it with `ssh-keyscan HOST` and compare the keys with those that the host publishes", ErrHostKey)
	}
	file, err := os.CreateTemp("", "known_hosts-")
	if err != nil {
		return nil, fmt.Errorf("write known_hosts: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(auth.KnownHosts)
	if err := cmp.Or(err, file.Close()); err != nil {
		return nil, fmt.Errorf("write known_hosts: %w", err)
	}
	db, err := knownhosts.NewDB(file.Name())
	if err != nil {
		text := strings.ReplaceAll(err.Error(), file.Name(), "known_hosts")
		return nil, fmt.Errorf("%w: %s", ErrInvalid, text)
	}
	return db, nil
}
