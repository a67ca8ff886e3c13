package source

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// address locates a repository. Credentials from the URL are kept apart from the rest.
type address struct {
	endpoint       transport.Endpoint // without password; without user except for ssh
	shown          string
	user, password string
}

func parseAddress(raw string) (address, error) {
	at := address{shown: withoutPassword(raw)}
	if strings.TrimSpace(raw) == "" {
		return at, fmt.Errorf("%w: no URL", ErrInvalid)
	}
	endpoint, err := transport.NewEndpoint(raw)
	if err != nil {
		return at, fmt.Errorf("%w: this is not a URL", ErrInvalid) // the cause would quote the password
	}
	at.user, at.password = endpoint.User, endpoint.Password
	at.endpoint = *endpoint
	at.endpoint.Password = ""
	at.endpoint.Host = strings.ToLower(at.endpoint.Host)
	switch endpoint.Protocol {
	case "http", "https":
		at.endpoint.User = ""
	case "ssh":
	case "file":
		if endpoint.Host != "" && endpoint.Host != "localhost" {
			return at, fmt.Errorf("%w: file:// reaches this machine only, not %q", ErrInvalid, endpoint.Host)
		}
		return at, nil
	default:
		return at, fmt.Errorf("%w: %s:// is not supported; https, http, ssh, file and local paths are", ErrInvalid, endpoint.Protocol)
	}
	if endpoint.Host == "" {
		return at, fmt.Errorf("%w: the URL has no host", ErrInvalid)
	}
	return at, nil
}

// Host returns the host of the server of a URL, in lower case; empty for a path on this machine, and for an invalid URL.
func Host(url string) string {
	at, err := parseAddress(url)
	if err != nil || at.local() {
		return ""
	}
	return at.endpoint.Host
}

// String returns the URL without a password, for errors and users.
func (a address) String() string { return a.shown }

func (a address) local() bool  { return a.endpoint.Protocol == "file" }
func (a address) path() string { return a.endpoint.Path }

// key returns the directory name of the repository's clone.
func (a address) key() string {
	sum := sha256.Sum256([]byte(a.endpoint.String()))
	return hex.EncodeToString(sum[:16])
}

// withoutPassword removes the password from text that looks like a URL, even if it does not parse as one.
func withoutPassword(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return raw
	}
	if _, err := url.Parse(raw); err != nil { // perhaps a slash in the password
		return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	authority, path, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return raw
	}
	user := ""
	if !strings.HasPrefix(scheme, "http") {
		user, _, _ = strings.Cut(authority[:at], ":")
		user += "@"
	}
	return strings.TrimSuffix(scheme+"://"+user+authority[at+1:]+"/"+path, "/")
}

// redact replaces every secret of a fetch in text, including the encodings that servers and libraries quote.
func redact(text string, at address, auth *Auth) string {
	secrets := []string{at.password}
	if strings.HasPrefix(at.endpoint.Protocol, "http") && len(at.user) >= 8 {
		secrets = append(secrets, at.user) // many hosts document https://<token>@host
	}
	if auth != nil {
		secrets = append(secrets, strings.TrimSpace(auth.Password), strings.TrimSpace(auth.BearerToken), auth.IdentityPassphrase)
	}
	if auth != nil && auth.Password != "" {
		basic := basicAuth(at, auth)
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(basic.Username+":"+basic.Password)))
	}
	for _, s := range slices.Clone(secrets) {
		secrets = append(secrets, url.QueryEscape(s), url.PathEscape(s))
	}
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}
