package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

// TestPage compares the documentation with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, 10*time.Second, blockedGrace)
	golden.Quote(t, "../../docs/how-to/scale.md", "the owner waits, and after ten seconds the Delivery reports it")
}
