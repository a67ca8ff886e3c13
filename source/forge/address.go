package forge

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// address locates a repository for a browser.
type address struct {
	scheme string // http or https
	host   string // with the port unless it is the default
	folder string // path of the forge on its host; usually empty
	path   string // of the repository: owner/name, on GitLab also group/subgroup/name
	web    bool   // the URL is for HTTP, so its path may begin with folder
}

func (a address) String() string { return a.host + "/" + a.path }

// page returns the URL of a page below the repository.
func (a address) page(below string) string {
	return a.root() + "/" + a.path + below
}

// root returns the URL of the forge.
func (a address) root() string {
	root := a.scheme + "://" + a.host
	if a.folder != "" {
		root += "/" + a.folder
	}
	return root
}

// split returns owner and name for a forge without nested groups.
func (a address) split() (owner, name string) {
	owner, name, _ = strings.Cut(a.path, "/")
	return owner, name
}

// parseAddress parses a clone URL. Its errors never quote the URL, which may contain a password.
func parseAddress(raw string) (address, error) {
	endpoint, err := transport.NewEndpoint(strings.TrimSpace(raw))
	if err != nil {
		return address{}, errors.New("malformed URL of a repository")
	}
	at := address{scheme: "https", host: strings.ToLower(endpoint.Host)}
	switch endpoint.Protocol {
	case "http", "https":
		at.scheme, at.web = endpoint.Protocol, true
		if standard := map[string]int{"http": 80, "https": 443}[at.scheme]; endpoint.Port != 0 && endpoint.Port != standard {
			at.host += ":" + strconv.Itoa(endpoint.Port)
		}
	case "ssh":
		at.host = webHostOf(at.host)
	default:
		return address{}, fmt.Errorf("the URL of a forge must be https or ssh, not %s", endpoint.Protocol)
	}
	at.path = strings.TrimSuffix(strings.Trim(endpoint.Path, "/"), ".git")
	segments := strings.Split(at.path, "/")
	for _, segment := range segments {
		if !isName(segment) {
			return address{}, errors.New("the path of the URL does not name a repository")
		}
	}
	if at.host == "" || len(segments) < 2 {
		return address{}, errors.New("the URL needs a host and a path such as owner/name")
	}
	return at, nil
}

// webHostOf returns the web host of a forge whose SSH server has a different host name, for networks that block port
// 22.
func webHostOf(host string) string {
	switch host {
	case "ssh.github.com":
		return "github.com"
	case "altssh.gitlab.com":
		return "gitlab.com"
	}
	return host
}

// isName reports whether s may be a group, owner or repository. All forges allow less; the check keeps a name from
// changing the path around it.
func isName(s string) bool {
	return strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.+~", r))
	})
}

// provider derives the provider from the host name.
func (a address) provider() (Provider, error) {
	host := (&url.URL{Host: a.host}).Hostname()
	if host == "codeberg.org" {
		return Gitea, nil
	}
	if strings.HasSuffix(host, ".ghe.com") {
		return GitHub, nil
	}
	names := []struct {
		name string
		is   Provider
	}{{"github", GitHub}, {"gitlab", GitLab}, {"gitea", Gitea}, {"forgejo", Gitea}}
	found := map[Provider]bool{}
	for _, n := range names {
		if strings.HasPrefix(host, n.name) {
			return n.is, nil
		}
		if strings.Contains(host, n.name) {
			found[n.is] = true
		}
	}
	if len(found) == 1 {
		for only := range found {
			return only, nil
		}
	}
	return "", fmt.Errorf("the host name %s does not identify a provider: set github, gitlab or gitea (also for Forgejo)", host)
}

// api returns the URL of the provider's API without a trailing slash, and the address as that provider reads it.
func (a address) api(p Provider, given string) (address, string, error) {
	suffix, ok := map[Provider]string{GitHub: "/api/v3", GitLab: "/api/v4", Gitea: "/api/v1"}[p]
	if !ok {
		return a, "", fmt.Errorf("unknown provider %q: set github, gitlab or gitea (also for Forgejo)", p)
	}
	base := strings.TrimRight(given, "/")
	if base != "" {
		where, err := url.Parse(base)
		if err != nil || where.Host == "" || where.User != nil || where.Scheme != "http" && where.Scheme != "https" {
			return a, "", errors.New("the URL of the API must be https and must not contain credentials")
		}
		a = a.under(strings.Trim(strings.TrimSuffix(where.Path, suffix), "/"), where.Host)
	}
	if p != GitLab {
		var err error
		if a, err = a.ownerAndName(p); err != nil {
			return a, "", err
		}
	}
	if base == "" {
		base = a.usual(p, suffix)
	}
	return a, base, nil
}

// under uses the folder of the API's URL as the folder of the forge if the repository lies below it too.
func (a address) under(folder, host string) address {
	if rest, ok := strings.CutPrefix(a.path, folder+"/"); ok && folder != "" && a.web && strings.EqualFold(host, a.host) {
		a.folder, a.path = folder, rest
	}
	return a
}

// ownerAndName treats the path before owner/name as the folder of Gitea.
func (a address) ownerAndName(p Provider) (address, error) {
	segments := strings.Split(a.path, "/")
	before := len(segments) - 2
	if before == 0 {
		return a, nil
	}
	if p == GitHub || !a.web || a.folder != "" {
		return a, errors.New("the path of the URL must be owner/name")
	}
	a.folder, a.path = strings.Join(segments[:before], "/"), strings.Join(segments[before:], "/")
	return a, nil
}

func (a address) usual(p Provider, suffix string) string {
	if p == GitHub {
		switch {
		case a.host == "github.com" || a.host == "www.github.com":
			return "https://api.github.com"
		case strings.HasSuffix(a.host, ".ghe.com"): // https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency
			return "https://api." + a.host
		}
	}
	return a.root() + suffix
}
