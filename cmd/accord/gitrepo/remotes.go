package gitrepo

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Remotes returns the URLs of the remotes.
func (h *Repository) Remotes() []string {
	if h == nil {
		return nil
	}
	var all []string
	if remotes, err := h.repo.Remotes(); err == nil {
		for _, r := range remotes {
			all = append(all, r.Config().URLs...)
		}
	}
	return all
}

// Serves reports whether a source with a URL reads this repository: through one of its remotes, or its directory. Nil serves nothing.
func (h *Repository) Serves(source string) bool {
	return slices.ContainsFunc(h.Remotes(), func(r string) bool { return SameRepository(r, source) }) ||
		h != nil && filepath.IsAbs(source) && SameRepository(source, h.Root)
}

// SameRepository reports whether two URLs address one repository, regardless of user and protocol.
func SameRepository(a, b string) bool { return normalizedURL(a) == normalizedURL(b) }

// normalizedURL returns "host/team/prod" for https://user@host/team/prod.git and git@host:team/prod.
func normalizedURL(remote string) string {
	if !strings.Contains(remote, "://") {
		if host, path, scp := strings.Cut(remote, ":"); scp && !strings.Contains(host, "/") {
			remote = "ssh://" + host + "/" + path
		}
	}
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		remote = strings.ToLower(u.Hostname()) + "/" + strings.Trim(u.Path, "/")
	}
	return strings.TrimSuffix(strings.TrimRight(remote, "/"), ".git")
}

// DisplayURLs returns URLs without user names and tokens, which some pipelines put there.
func DisplayURLs(remotes []string) []string {
	all := make([]string, len(remotes))
	for i, r := range remotes {
		all[i] = normalizedURL(r)
	}
	return all
}
