package reconciler

import (
	"cmp"
	"maps"
	"slices"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

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
