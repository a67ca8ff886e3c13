package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/how-to/commitstatus.md"

// TestPage compares docs/how-to/commitstatus.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{25 << 20, time.Hour}, []any{maxBody, repeatWindow})
	golden.Quote(t, page, "a delivery of the last hour that it has handled")
	golden.Quote(t, page, "413 for a body of more than 25 MiB")
}
