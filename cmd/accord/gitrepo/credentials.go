package gitrepo

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/source"
)

// SecretRef is the name of the credentials from the environment.
func SecretRef() *corev1.LocalObjectReference {
	return &corev1.LocalObjectReference{Name: "environment"}
}

// CredentialData reads the credentials of the repository from environment variables. The keys are those of a Secret of a
// Federation.
func CredentialData(getenv func(string) string) (map[string][]byte, error) {
	auth := map[string][]byte{}
	for name, key := range map[string]string{
		"ACCORD_GIT_USERNAME": "username", "ACCORD_GIT_PASSWORD": "password", "ACCORD_GIT_TOKEN": "bearerToken",
	} {
		if v := getenv(name); v != "" {
			auth[key] = []byte(v)
		}
	}
	for name, key := range map[string]string{
		"ACCORD_GIT_CA": "ca.crt", "ACCORD_GIT_SSH_KEY": "identity", "ACCORD_GIT_KNOWN_HOSTS": "known_hosts",
	} {
		file := getenv(name)
		if file == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading $%s: %w", name, err)
		}
		auth[key] = data
	}
	return auth, nil
}

// Auth returns the same credentials for a command that fetches a URL, and nil if there are none. The second value reports whether
// secret credentials were withheld: they belong to the hosts of trusted, or to $ACCORD_GIT_HOST if it is set.
func Auth(getenv func(string) string, url string, trusted []string) (*source.Auth, bool, error) {
	data, err := CredentialData(getenv)
	if err != nil || len(data) == 0 {
		return nil, false, err
	}
	withheld := !MayReceive(getenv, url, trusted) && hasSecret(data)
	if withheld {
		for _, key := range secretKeys {
			delete(data, key)
		}
	}
	return &source.Auth{
		Username: string(data["username"]), Password: string(data["password"]), BearerToken: string(data["bearerToken"]),
		CA: data["ca.crt"], Identity: data["identity"], IdentityPassphrase: string(data["password"]), KnownHosts: data["known_hosts"],
	}, withheld, nil
}

// secretKeys are the keys of CredentialData that a host could use elsewhere. Certificates and known hosts are public.
var secretKeys = []string{"username", "password", "bearerToken", "identity"}

func hasSecret(data map[string][]byte) bool {
	return slices.ContainsFunc(secretKeys, func(key string) bool { return len(data[key]) > 0 })
}

// HostEnv is the environment variable with the host of the credentials, "git.example" or "git.example:8443"; several are separated
// by commas.
const HostEnv = "ACCORD_GIT_HOST"

// MayReceive reports whether the credentials of the environment may be sent to a URL: over https or SSH, to $ACCORD_GIT_HOST, or
// without that to the host of a trusted URL. A pull request decides the URLs of sources, and not the remotes of the repository.
func MayReceive(getenv func(string) string, url string, trusted []string) bool {
	at, ok := hostOf(url)
	if !ok {
		return false
	}
	if hosts := getenv(HostEnv); hosts != "" {
		trusted = nil
		for host := range strings.SplitSeq(hosts, ",") {
			trusted = append(trusted, "https://"+strings.TrimSpace(host))
		}
	}
	return slices.ContainsFunc(trusted, func(other string) bool {
		host, ok := hostOf(other)
		return ok && host.name == at.name && (at.port == "" || at.port == host.port)
	})
}

// gitHost is the host of a URL; the port is empty if it is the default of the scheme.
type gitHost struct{ name, port string }

// hostOf returns the host of a URL, and false if the connection is not encrypted or leads to no host.
func hostOf(remote string) (gitHost, bool) {
	endpoint, err := transport.NewEndpoint(remote)
	if err != nil || endpoint.Host == "" {
		return gitHost{}, false
	}
	standard, encrypted := map[string]int{"https": 443, "ssh": 22}[endpoint.Protocol]
	h := gitHost{name: strings.ToLower(endpoint.Host)}
	if endpoint.Port != 0 && endpoint.Port != standard {
		h.port = strconv.Itoa(endpoint.Port)
	}
	return h, encrypted
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// RepositoryName returns the last part of a URL or path as a name: "git@host:team/Prod_Apps.git" becomes "prod-apps".
func RepositoryName(url string) string {
	last := path.Base(strings.ReplaceAll(strings.TrimRight(url, "/"), ":", "/"))
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(strings.TrimSuffix(last, ".git")), "-"), "-")
	if name == "" {
		return "repo"
	}
	return name[:min(len(name), 63)]
}
