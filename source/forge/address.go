package forge

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// address is where a repository is, for people with a browser.
type address struct {
	scheme string // http or https
	host   string // with a port unless it is the scheme's own
	folder string // where the forge is on its host; mostly empty
	path   string // of the repository: owner/name, at GitLab also group/subgroup/name
	web    bool   // the URL was one for http, whose path may begin with folder
}

func (a address) String() string { return a.host + "/" + a.path }

// page is the address of something below the repository.
func (a address) page(below string) string {
	return a.root() + "/" + a.path + below
}

// root is where the forge is.
func (a address) root() string {
	root := a.scheme + "://" + a.host
	if a.folder != "" {
		root += "/" + a.folder
	}
	return root
}

// split is the repository at a forge without groups in groups.
func (a address) split() (owner, name string) {
	owner, name, _ = strings.Cut(a.path, "/")
	return owner, name
}

// parseAddress reads the URL that one clones from. Its errors never quote it, for it may hold a password.
func parseAddress(raw string) (address, error) {
	endpoint, err := transport.NewEndpoint(strings.TrimSpace(raw))
	if err != nil {
		return address{}, errors.New("this is not the URL of a repository")
	}
	at := address{scheme: "https", host: strings.ToLower(endpoint.Host)}
	switch endpoint.Protocol {
	case "http", "https":
		at.scheme, at.web = endpoint.Protocol, true
		if standard := map[string]int{"http": 80, "https": 443}[at.scheme]; endpoint.Port != 0 && endpoint.Port != standard {
			at.host += ":" + strconv.Itoa(endpoint.Port)
		}
	case "ssh":
		at.host = besideSSH(at.host)
	default:
		return address{}, fmt.Errorf("a forge has an https or ssh URL, not one for %s", endpoint.Protocol)
	}
	at.path = strings.TrimSuffix(strings.Trim(endpoint.Path, "/"), ".git")
	segments := strings.Split(at.path, "/")
	for _, segment := range segments {
		if !isName(segment) {
			return address{}, errors.New("the path of the URL is not that of a repository")
		}
	}
	if at.host == "" || len(segments) < 2 {
		return address{}, errors.New("the URL needs a host and a path such as owner/name")
	}
	return at, nil
}

// besideSSH is the host of the forge whose SSH server has a name of its own, for networks that block port 22.
func besideSSH(host string) string {
	switch host {
	case "ssh.github.com":
		return "github.com"
	case "altssh.gitlab.com":
		return "gitlab.com"
	}
	return host
}

// isName says whether a group, owner or repository can be called so. All forges allow less; what matters is that a name
// cannot leave its place in a path.
func isName(s string) bool {
	return strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.+~", r))
	})
}

// provider tells who speaks at a host by its name.
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
	return "", fmt.Errorf("the name %s does not tell which forge it is: say github, gitlab or gitea (also for Forgejo)", host)
}

// api is where the API of a provider is, without a slash at the end, and the address as that provider reads it.
func (a address) api(p Provider, given string) (address, string, error) {
	suffix, ok := map[Provider]string{GitHub: "/api/v3", GitLab: "/api/v4", Gitea: "/api/v1"}[p]
	if !ok {
		return a, "", fmt.Errorf("provider %q is not known: github, gitlab and gitea (also for Forgejo) are", p)
	}
	base := strings.TrimRight(given, "/")
	if base != "" {
		where, err := url.Parse(base)
		if err != nil || where.Host == "" || where.User != nil || where.Scheme != "http" && where.Scheme != "https" {
			return a, "", errors.New("the URL of the API is not one for https, or has credentials in it")
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

// under takes the folder of the API's address for that of the forge, if the repository is below it too.
func (a address) under(folder, host string) address {
	if rest, ok := strings.CutPrefix(a.path, folder+"/"); ok && folder != "" && a.web && strings.EqualFold(host, a.host) {
		a.folder, a.path = folder, rest
	}
	return a
}

// ownerAndName takes what comes before owner/name for the folder that Gitea is in.
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
