package version

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	require.Equal(t, Info{Version: "v0.1.0", Commit: "91045c1", Date: "2026-11-28T03:00:00Z", Modified: true, Kubernetes: "v1.36.4"}, read(&debug.BuildInfo{
		Main:     debug.Module{Version: "v0.1.0"},
		Deps:     []*debug.Module{{Path: "k8s.io/client-go", Version: "v0.36.4"}, {Path: "k8s.io/utils", Version: "v0.0.0-20260507154919-ff6756f316d2"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "91045c1"}, {Key: "vcs.time", Value: "2026-11-28T03:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
	}))
}

// The linker has the last word, and a program without any record has a version, too.
func TestGet(t *testing.T) {
	require.NotEmpty(t, Get().Version)
	require.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, Get().Platform)
	release, commit, date = "v0.1.0", "91045c1", "2026-11-28T03:00:00Z"
	t.Cleanup(func() { release, commit, date = "", "", "" })
	require.Equal(t, "v0.1.0", Get().Version)
	require.Equal(t, "91045c1", Get().Commit)
	require.Equal(t, "2026-11-28T03:00:00Z", Get().Date)
}
