package text

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/version"
)

func TestVersions(t *testing.T) {
	v := Versions{Client: version.Info{Version: "v0.1.0", Commit: "91045c1", Date: "2026-11-28T03:00:00Z", Go: "go1.26.0", Platform: "linux/amd64", Kubernetes: "v1.36.4"}}
	client := `accord v0.1.0
  commit      91045c1 of 2026-11-28T03:00:00Z
  Kubernetes  v1.36.4
  built by    go1.26.0 for linux/amd64
`
	require.Equal(t, client, v.String())
	v.Hub = &HubVersions{Server: "https://hub.example", Accord: "v0.1.1", Kubernetes: "v1.36.3"}
	require.Equal(t, client+"hub https://hub.example\n  accord      v0.1.1\n  Kubernetes  v1.36.3\n", v.String())
	v.Hub.Accord = ""
	require.Contains(t, v.String(), "  accord      unknown: it serves no aggregated API, or does not run\n")
	v.Hub = &HubVersions{Server: "https://hub.example", Error: "connection refused"}
	require.Equal(t, client+"hub https://hub.example\n  no answer   connection refused\n", v.String())
	v = Versions{Client: version.Info{Version: version.Devel, Commit: "91045c1", Modified: true}, Hub: &HubVersions{Error: "no kubeconfig"}}
	require.Contains(t, v.String(), "accord (devel)\n  commit      91045c1, with changes that are not committed\n  Kubernetes  unknown\n")
	require.Contains(t, v.String(), "hub unknown: no kubeconfig\n")
}

func TestDefaultImage(t *testing.T) {
	require.Equal(t, "ghcr.io/accord-dev/accord:devel", DefaultImage("(devel)"))
	require.Equal(t, "ghcr.io/accord-dev/accord:v0.1.0-dirty", DefaultImage("v0.1.0+dirty"))
}
