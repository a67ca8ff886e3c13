package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/reconciler/apply/live"
)

func TestFiguresOfADelivery(t *testing.T) {
	var g deliveryCounters
	g.count(Result{})
	g.count(Result{Failure: "Busy"})
	require.Equal(t, 1, g.succeeded)
	require.Equal(t, map[string]int{"Busy": 1}, g.failed)

	for i := range 3 * maxManagers {
		g.count(Result{Drift: []live.Drift{{Manager: fmt.Sprint("manager-", i)}, {}}})
	}
	require.Len(t, g.drift, maxManagers+1, "managers that are named, and the rest")
	require.Equal(t, 3*maxManagers, g.drift[unknownManager])
	total := 0
	for _, n := range g.drift {
		total += n
	}
	require.Equal(t, 2*3*maxManagers, total, "none is lost")

	long := deliveryCounters{}
	long.count(Result{Drift: []live.Drift{{Manager: strings.Repeat("x", maxManagerName-1) + "é" + strings.Repeat("y", 50)}}})
	require.Equal(t, map[string]int{strings.Repeat("x", maxManagerName-1): 1}, long.drift)
}
