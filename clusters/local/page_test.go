package local

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../docs/troubleshooting.md"

// TestPage compares the documentation with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []int{64 << 20, 32 << 20}, []int{leastSpace, reservedSpace})
	golden.Quote(t, page, "Below 32 MiB the hub refuses writes")
	golden.Quote(t, page, "When 64 MiB are free, the hub accepts writes again, without a restart.")
	golden.Quote(t, page, "`accord up` does not start below 64 MiB.")
}
