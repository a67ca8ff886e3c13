package drain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALargeHubIsReadLessOften(t *testing.T) {
	require.Equal(t, time.Second, pause(time.Millisecond))
	require.Equal(t, 4*time.Second, pause(200*time.Millisecond))
	require.Equal(t, 30*time.Second, pause(10*time.Second))
}
