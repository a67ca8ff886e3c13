package deliver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

// TestAuditIsSpread compares docs/concepts/delivery.md with the pace of the audit.
func TestAuditIsSpread(t *testing.T) {
	require.Equal(t, time.Hour, auditPause(0))
	require.Equal(t, 6*time.Minute, auditPause(10))
	require.Equal(t, time.Second, auditPause(100_000), "never more than one request a second")
	require.Equal(t, 100, auditPage)
	golden.Quote(t, "../../docs/concepts/delivery.md", "at most one request a second to each cluster, for 100 objects")
}
