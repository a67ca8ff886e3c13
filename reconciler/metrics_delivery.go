package reconciler

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

const (
	// maxManagers is how many field managers of one delivery are counted apart.
	maxManagers = 10
	// otherManager are all further ones, unknownManager those that left no name.
	otherManager, unknownManager = "other", "unknown"
	// maxManagerName is how much of the name of a manager is shown, in bytes: the API server allows 128.
	maxManagerName = 64
)

// deliveryFigures are what is counted of one delivery. They are guarded by the mutex of the federation, and end with the leg.
type deliveryFigures struct {
	succeeded int
	failed    map[string]int // by reason
	drift     map[string]int // by field manager
	fine      time.Time      // when it was Ready last; zero while it is, and if that is not known
}

// concluded counts one attempt to deliver.
func (g *deliveryFigures) concluded(o live.Outcome, err error) {
	if reason := failure(o, err); reason != "" {
		g.failed = counted(g.failed, reason)
	} else {
		g.succeeded++
	}
	for _, d := range o.Drift {
		g.drift = counted(g.drift, g.manager(d.Manager))
	}
}

func counted(in map[string]int, key string) map[string]int {
	if in == nil {
		in = map[string]int{}
	}
	in[key]++
	return in
}

// manager is the label of a field manager: who changes objects decides how it is called, so it is bounded here.
func (g *deliveryFigures) manager(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), maxManagerName)], "")
	switch _, known := g.drift[name]; {
	case name == "":
		return unknownManager
	case !known && len(g.drift) >= maxManagers:
		return otherManager
	}
	return name
}

// failure is why a delivery did not succeed, in one word; empty if it did.
func failure(o live.Outcome, err error) string {
	switch {
	case err != nil:
		return troubleOf(err)
	case len(o.Errors) > 0:
		return mostly(o.Errors)
	case o.PruneBlocked != "":
		return status.PruneBlocked
	}
	return ""
}

// troubleOf a cluster as a whole.
func troubleOf(err error) string {
	if reason := clusters.Reason(err); reason != clusters.Unreachable || clusters.Down(err) {
		return reason
	}
	return status.ReconciliationFailed
}

// mostly is the reason of most of the errors, the first by name of several.
func mostly[K comparable](errs map[K]error) string {
	counts := map[string]int{}
	for _, err := range errs {
		counts[problemOf(err).Reason]++
	}
	return slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
