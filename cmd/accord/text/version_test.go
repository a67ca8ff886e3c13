package text

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuild(t *testing.T) {
	by := "  built by  " + runtime.Version() + " for " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	require.Equal(t, "accord v0.1.0\n  commit    91045c1\n"+by,
		build("v0.1.0", []debug.BuildSetting{{Key: "vcs.revision", Value: "91045c1"}, {Key: "vcs.modified", Value: "false"}}))
	require.Equal(t, "accord v0.1.0+dirty\n  commit    91045c1, with changes that are not committed\n"+by,
		build("v0.1.0+dirty", []debug.BuildSetting{{Key: "vcs.revision", Value: "91045c1"}, {Key: "vcs.modified", Value: "true"}}))
	require.Equal(t, "accord (devel)\n  commit    unknown\n"+by, build("(devel)", nil))
}

func TestDefaultImage(t *testing.T) {
	require.Equal(t, "ghcr.io/accord-dev/accord:devel", DefaultImage("(devel)"))
	require.Equal(t, "ghcr.io/accord-dev/accord:v0.1.0-dirty", DefaultImage("v0.1.0+dirty"))
}
