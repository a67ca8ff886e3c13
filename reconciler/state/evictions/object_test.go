package evictions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// TestRun: a Job that ended in either way has finished. Without a report it may have, unless the cluster answers and does not have it.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		health       kind.Health
		seen, listed bool
		want         failover.Run
	}{
		{kind.Healthy, true, true, failover.Finished},
		{kind.Healthy, true, false, failover.Finished},
		{kind.Failed, true, true, failover.Finished},
		{kind.Progressing, true, true, failover.Running},
		{kind.Progressing, true, false, failover.Running},
		{"", false, true, failover.Running},
		{"", false, false, failover.Unseen},
	} {
		require.Equal(t, c.want, run(status.Report{Health: c.health}, c.seen, c.listed), "%+v", c)
	}
}
