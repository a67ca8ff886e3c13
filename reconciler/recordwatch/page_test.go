package recordwatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

// TestPage compares the documentation with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, 5*time.Minute, lastBackoff)
	golden.Quote(t, "../../docs/concepts/status.md", "with increasing intervals, up to 5 minutes")
}
