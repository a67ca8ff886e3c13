package deliver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// TestPage compares pages of docs with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{time.Second, 5 * time.Second, 50, time.Minute}, []any{planningLimit, lateAfter, changes.BulkSize, lastRetry})
	require.Equal(t, []any{8, 64}, []any{apply.MostWorkers, crowdAtFull})
	golden.Quote(t, "../../docs/concepts/delivery.md", "A delivery sends up to 8 requests at once. While more than 64 deliveries are running, the newer ones send one at a time.")
	golden.Quote(t, "../../docs/concepts/delivery.md", "The delivery pauses while accord makes the new plan, for a second at most. Up to 50 objects that the commit changes go first")
	golden.Quote(t, "../../docs/concepts/delivery.md", "The other Federation gets the object within a minute after the owner has deleted it.")
	golden.Quote(t, "../../docs/how-to/rollouts.md", "If a workload is not healthy after five seconds, accord lists its pods")
}
