package member

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/concepts/delivery.md"

// TestPage compares docs/concepts/delivery.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{time.Minute, 10 * time.Second, 5 * time.Second, time.Minute}, []any{removalLimit, probeInterval, ProbeTimeout, countInterval})
	golden.Quote(t, page, "accord retries for one minute. Then the Cluster goes")
	golden.Quote(t, page, "New credentials and a new address take effect within ten seconds")
	golden.Quote(t, page, "no answer in time (30 s; 5 s for a probe)")
	golden.Quote(t, "../../docs/how-to/scale.md", "accord requests the version of a member every 10 seconds, and its nodes and kinds once a minute")
}
