package reachability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLost(t *testing.T) {
	require.True(t, State{Unreachable: "connection refused"}.Lost())
	for _, why := range []string{"", NotProbed, NotConnected} {
		require.False(t, State{Unreachable: why}.Lost(), why)
	}
}
