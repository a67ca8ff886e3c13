package gitrepo

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"

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

// Auth returns the same credentials for commands that fetch, and nil if there are none.
func Auth(getenv func(string) string) (*source.Auth, error) {
	data, err := CredentialData(getenv)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	return &source.Auth{
		Username: string(data["username"]), Password: string(data["password"]), BearerToken: string(data["bearerToken"]),
		CA: data["ca.crt"], Identity: data["identity"], IdentityPassphrase: string(data["password"]), KnownHosts: data["known_hosts"],
	}, nil
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
