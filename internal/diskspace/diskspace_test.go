package diskspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpace(t *testing.T) {
	require.True(t, Space{Free: 9, Total: 100}.Low())
	require.False(t, Space{Free: 10, Total: 100}.Low())
	require.False(t, Space{}.Low(), "unknown")
	require.True(t, Space{Free: 9, Total: 100}.Below(10))
	require.False(t, Space{}.Below(10), "unknown")
	s, err := Of(t.TempDir())
	require.NoError(t, err)
	require.Positive(t, s.Total)
	require.LessOrEqual(t, s.Free, s.Total)
	_, err = Of("/does/not/exist")
	require.Error(t, err)
}
