package commitstatus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/how-to/commitstatus.md"

// TestPage compares docs/how-to/commitstatus.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{5 * time.Second, 20, 5 * time.Second, 10 * time.Minute}, []any{statusPace, statusShare, firstPause, lastPause})
	golden.Quote(t, page, "waits at least five seconds, and a twentieth of the age of the Release")
	golden.Quote(t, page, "it retries after 5 s, 10 s, and so on up to 10 minutes")
}
