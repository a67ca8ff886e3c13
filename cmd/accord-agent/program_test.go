package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxProgram is the greatest size of the stripped program on disk. accord has about four times as much.
const maxProgram = 70 << 20

// The agent is small enough for an edge site, because it has no API server, no store and no Git inside.
func TestTheProgramIsSmall(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for _, heavy := range []string{"go.etcd.io/etcd/server", "k8s.io/apiserver/pkg/server", "k8s.io/kubernetes/", "github.com/go-git/", "helm.sh/"} {
		for dep := range strings.Lines(string(deps)) {
			require.False(t, strings.HasPrefix(dep, heavy), "the agent imports %s", dep)
		}
	}

	at := filepath.Join(t.TempDir(), "accord-agent")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", at, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is built
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	program, err := os.Stat(at)
	require.NoError(t, err)
	t.Logf("%d MB on disk, stripped", program.Size()>>20)
	require.Less(t, program.Size(), int64(maxProgram))
}
