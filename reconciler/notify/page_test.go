package notify

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/how-to/notifications.md"

// TestPage compares docs/how-to/notifications.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{10, 30 * time.Second, 5 * time.Second, 10 * time.Minute, 3000}, []any{burst, pace, firstPause, lastPause, maxText})
	golden.Quote(t, page, "ten requests at once, and then one in 30 seconds")
	golden.Quote(t, page, "after 5 s, 10 s, and so on up to 10 minutes")
	golden.Quote(t, page, "at most 3,000 characters")
}
