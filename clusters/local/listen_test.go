package local

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// kubeconfigFor writes the kubeconfig of a former run on that port.
func kubeconfigFor(t *testing.T, port int) string {
	t.Helper()
	keys, err := ensurePKI(filepath.Join(t.TempDir(), "pki"), "hub")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	a, err := newAccess("hub", "https://127.0.0.1:"+strconv.Itoa(port), path, keys)
	require.NoError(t, err)
	require.NoError(t, a.writeKubeconfig())
	return path
}

func TestListen(t *testing.T) {
	none := filepath.Join(t.TempDir(), "kubeconfig")
	taken, err := listen(t.Context(), 0, none)
	require.NoError(t, err)
	defer taken.Close()
	free, err := listen(t.Context(), 0, none)
	require.NoError(t, err)
	require.NoError(t, free.Close())
	garbage := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(garbage, []byte("{"), 0o600))

	for name, c := range map[string]struct {
		port       int
		kubeconfig string
		want       int // 0 = any that Start may give out
		says       string
	}{
		"neither asked for nor remembered": {0, none, 0, ""},
		"asked for":                        {port(free), none, port(free), ""},
		"remembered":                       {0, kubeconfigFor(t, port(free)), port(free), ""},
		"asked for another than before":    {port(free), kubeconfigFor(t, port(taken)), port(free), ""},
		"asked for and taken":              {port(taken), none, 0, "the control plane's port " + strconv.Itoa(port(taken))},
		"remembered and taken":             {0, kubeconfigFor(t, port(taken)), 0, "the control plane's port " + strconv.Itoa(port(taken))},
		"a kubeconfig that is none":        {0, garbage, 0, "reading the port of the last run"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := listen(t.Context(), c.port, c.kubeconfig)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			defer l.Close()
			require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback())
			if c.want != 0 {
				require.Equal(t, c.want, port(l))
			}
			require.GreaterOrEqual(t, port(l), firstPort)
			require.LessOrEqual(t, port(l), lastPort)
		})
	}
}

// TestDefectR5ATakenPort: the error has the port, so that a command can name the flag that selects another one.
func TestDefectR5ATakenPort(t *testing.T) {
	taken, err := listen(t.Context(), 0, filepath.Join(t.TempDir(), "kubeconfig"))
	require.NoError(t, err)
	defer taken.Close()
	_, err = listen(t.Context(), 0, kubeconfigFor(t, port(taken)))
	other := &PortTakenError{}
	require.ErrorAs(t, err, &other)
	require.Equal(t, port(taken), other.Port)
}
