package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdateWritesTheWantedPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.txtar")
	require.NoError(t, os.WriteFile(path, []byte("prose\n-- in --\na\n-- want --\nb\n"), 0o600))
	Read(t, path).Equal(t, "want", "b\n")
	*update = true
	defer func() { *update = false }()
	Read(t, path).Equal(t, "want", "c\n")
	Read(t, path).Equal(t, "more", "d\n")
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "prose\n-- in --\na\n-- want --\nc\n-- more --\nd\n", string(written))
}
