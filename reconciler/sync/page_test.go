package sync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/concepts/delivery.md"

// TestPage compares docs/concepts/delivery.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{10 * time.Second, 2 * time.Minute, 6 * time.Second, 5 * time.Second}, []any{answerTimeout, clusterTimeout, probeWait, slowFetch})
	golden.Quote(t, page, "stops answering (10 s for one answer, two minutes for all)")
	golden.Quote(t, page, "accord waits up to 6 s for clusters that it has not probed yet")
	golden.Quote(t, page, "it restores the recorded plan after five seconds")
}
