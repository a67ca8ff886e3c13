package divide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/propagate/place"
)

// notEnoughRoom returns the problem of sites without room for the missing replicas. It names the clusters with the most room.
func (r Request) notEnoughRoom(sites []site) *place.Problem {
	before := had(sites)
	missing := needed(int64(r.Total)-before, before > 0)
	if len(sites) == 0 {
		return &place.Problem{Message: missing + " and there is no cluster for them", Field: r.roomField(), Reason: place.AllFull}
	}
	return &place.Problem{
		Message: fmt.Sprintf("%s and there is room for %d: %s", missing, rooms(sites), nearest(sites)),
		Field:   r.roomField(),
		Reason:  place.AllFull,
	}
}

func needed(n int64, further bool) string {
	more := ""
	if further {
		more = "more "
	}
	if n == 1 {
		return fmt.Sprintf("1 %sreplica is needed", more)
	}
	return fmt.Sprintf("%d %sreplicas are needed", n, more)
}

// nearest describes the sites with the most room.
func nearest(sites []site) string {
	const shown = 5
	sites = slices.SortedStableFunc(slices.Values(sites), func(a, b site) int { return cmp.Compare(b.room, a.room) })
	var parts []string
	for _, s := range sites[:min(shown, len(sites))] {
		parts = append(parts, fmt.Sprintf("%s %d%s", s.name, s.room, s.doubt()))
	}
	if rest := sites[min(shown, len(sites)):]; len(rest) > 0 {
		parts = append(parts, fmt.Sprintf("%d more clusters with %d", len(rest), rooms(rest)))
	}
	return strings.Join(parts, ", ")
}
