package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// timedWriter records the time of the first write.
type timedWriter struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first time.Time
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first.IsZero() {
		w.first = time.Now()
	}
	return w.text.Write(p)
}

// TestWaitForAHubThatIsSilent: a pipeline sees a line long before the timeout, which also applies to a hub that does not answer.
func TestWaitForAHubThatIsSilent(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and nobody reads them
	require.NoError(t, err)
	defer hole.Close()
	kubeconfig := filepath.Join(t.TempDir(), "hole.kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: hole, cluster: {server: "http://%s"}}]
contexts: [{name: hole, context: {cluster: hole}}]
current-context: hole
`, hole.Addr()), 0o600))

	for _, c := range []struct{ name, output, first, last string }{
		{"for people", "text", "  waiting for the hub http://", "TIME RAN OUT  prod @ 4f2c9e1  the hub http://"},
		{"for programs", "json", `"message":"waiting for the hub http://`, `"result":"timeout","exitCode":3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, stderr := &timedWriter{}, &bytes.Buffer{}
			began := time.Now()
			code := execute(t.Context(), []string{
				"wait", "prod", "--revision", "4f2c9e1", "--kubeconfig", kubeconfig, "--timeout", "4s", "-o", c.output,
			}, strings.NewReader(""), out, stderr)
			require.Equal(t, 3, code, stderr)
			require.Empty(t, stderr.String())
			require.Less(t, out.first.Sub(began), 3*time.Second) // soon after the first half of a second, also on a machine that is busy
			require.Less(t, time.Since(began), 30*time.Second)
			lines := strings.Split(out.text.String(), "\n")
			require.Contains(t, lines[0], c.first)
			require.Contains(t, lines[1], c.last)
		})
	}
}
