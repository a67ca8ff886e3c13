package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/accord-dev/accord/internal/version"
)

// Versions are those of this program and of the hub.
type Versions struct {
	Client version.Info `json:"client"`
	Hub    *HubVersions `json:"hub,omitempty"`
}

// DocumentKind implements text.Document.
func (Versions) DocumentKind() string { return "Version" }

// HubVersions are those of a hub.
type HubVersions struct {
	Server string `json:"server,omitempty"`
	// Accord is the version of the controllers. It is empty if they serve no aggregated API, or do not run.
	Accord     string `json:"accord,omitempty"`
	Kubernetes string `json:"kubernetes,omitempty"`
	Error      string `json:"error,omitempty"`
}

// String returns the versions as lines.
func (v Versions) String() string {
	c := v.Client
	commit := cmp.Or(c.Commit, "unknown")
	if c.Date != "" {
		commit += " of " + c.Date
	}
	if c.Modified {
		commit += ", with changes that are not committed"
	}
	s := fmt.Sprintf("accord %s\n  commit      %s\n  Kubernetes  %s\n  built by    %s for %s\n", c.Version, commit, cmp.Or(c.Kubernetes, "unknown"), c.Go, c.Platform)
	if v.Hub == nil {
		return s
	}
	if v.Hub.Server == "" {
		return s + "hub unknown: " + v.Hub.Error + "\n"
	}
	s += "hub " + v.Hub.Server + "\n"
	if v.Hub.Error != "" {
		return s + "  no answer   " + v.Hub.Error + "\n"
	}
	return s + fmt.Sprintf("  accord      %s\n  Kubernetes  %s\n", cmp.Or(v.Hub.Accord, "unknown: it serves no aggregated API, or does not run"), v.Hub.Kubernetes)
}

// DefaultImage returns the image of this version. A tag must not have "+". A binary that was not built from a version uses the
// tag "devel".
func DefaultImage(version string) string {
	tag := strings.ReplaceAll(strings.Trim(version, "()"), "+", "-")
	return "ghcr.io/accord-dev/accord:" + tag
}
