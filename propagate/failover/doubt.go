package failover

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/taint"
)

// doubt returns the reason why accord doubts its own network; empty without one.
func doubt(in Input) string {
	if in.Witness != "" {
		return fmt.Sprintf("accord does not reach its witness (%s): it doubts its own network, and evicts nothing", in.Witness)
	}
	fleet := taint.Fleet{All: len(in.Clusters), MaxNotReady: in.Settings.MaxUnreachable}
	for i := range in.Clusters {
		if in.Clusters[i].Unreachable {
			fleet.NotReady++
		}
	}
	if fleet.Doubted() {
		return fmt.Sprintf("%d of %s are unreachable, more than %d%% (spec.failover.maxUnreachable): accord doubts its own network, and evicts nothing",
			fleet.NotReady, phrase.Count(fleet.All, "cluster"), in.Settings.MaxUnreachable)
	}
	return ""
}
