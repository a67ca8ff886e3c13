package mirror

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/how-to/mirror.md"

// TestPage compares the documentation with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{time.Second, 30 * time.Second, 8}, []any{repairDelay, publishRetry, writersPerPublish})
	golden.Quote(t, page, "accord restores its fields within a second or two")
	golden.Quote(t, page, "accord checks again before each write of the mirror, and every 30 seconds while the hub has nodes")
	golden.Quote(t, page, "The writes of a Federation run eight at a time")
}
