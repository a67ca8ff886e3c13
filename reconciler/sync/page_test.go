package sync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const (
	page         = "../../docs/concepts/delivery.md"
	securityPage = "../../docs/concepts/security.md"
)

// TestPage compares docs/concepts/delivery.md and security.md with the constants of this package.
func TestPage(t *testing.T) {
	require.Equal(t, []any{10 * time.Second, 2 * time.Minute, 6 * time.Second, 5 * time.Second}, []any{answerTimeout, clusterTimeout, probeWait, slowFetch})
	golden.Quote(t, page, "stops answering (10 s for one answer, two minutes for all)")
	golden.Quote(t, page, "accord waits up to 6 s for clusters that it has not probed yet")
	require.Equal(t, []any{16, 6, 5 * time.Minute}, []any{Workers, maxBuilds, buildTime})
	golden.Quote(t, securityPage, "accord reconciles 16 Federations at once")
	golden.Quote(t, securityPage, "builds the manifests of six Federations at once")
	golden.Quote(t, securityPage, "whose build takes more than 5 minutes")
	golden.Quote(t, page, "it restores the recorded plan after five seconds")
}
