package breaker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/concepts/delivery.md"

// TestPage compares docs/concepts/delivery.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{10, time.Second, 30 * time.Second}, []any{maxServerErrors, minPause, maxPause})
	golden.Quote(t, page, "after ten failures in a row")
	golden.Quote(t, page, "sends only a probe: after a second, then after twice as long each time, up to 30 s, with a random fifth more or less")
}
