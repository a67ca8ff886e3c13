package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSocketPath(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	long := filepath.Join(temp, strings.Repeat("x", maxSocketPath))

	t.Run("in the data directory if it fits", func(t *testing.T) {
		path, _, err := socketPath(temp)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(temp, "etcd.sock"), path)
	})
	t.Run("elsewhere if not, the same place each time", func(t *testing.T) {
		path, remove, err := socketPath(long)
		require.NoError(t, err)
		require.LessOrEqual(t, len(path), maxSocketPath)
		require.NoError(t, os.WriteFile(path, nil, 0o600)) // a killed process left it
		again, _, err := socketPath(long)
		require.NoError(t, err)
		require.Equal(t, path, again)
		require.NoFileExists(t, path)
		other, removeOther, err := socketPath(long + "y")
		require.NoError(t, err)
		require.NotEqual(t, path, other)
		require.NoError(t, remove())
		require.NoError(t, removeOther())
		require.NoDirExists(t, filepath.Dir(path))
	})
	t.Run("not in a place that others can write", func(t *testing.T) {
		path, remove, err := socketPath(long)
		require.NoError(t, err)
		defer func() { require.NoError(t, remove()) }()
		require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
		_, _, err = socketPath(long)
		require.ErrorContains(t, err, "is not a private directory of this user")
	})
	t.Run("nowhere if the temporary directory is long too", func(t *testing.T) {
		t.Setenv("TMPDIR", long)
		_, _, err := socketPath(long)
		require.ErrorContains(t, err, "too long paths")
	})
}
