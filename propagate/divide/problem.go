package divide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/propagate/place"
)

// short is the problem that sites have no room for what is missing. It names the clusters that are nearest to having it.
func (r Request) short(sites []site) *place.Problem {
	missing := fmt.Sprintf("%d replicas are needed", r.Total)
	if had := had(sites); had > 0 {
		missing = fmt.Sprintf("%d more replicas are needed", int64(r.Total)-had)
	}
	if len(sites) == 0 {
		return &place.Problem{Message: missing + " and there is no cluster for them", Field: r.roomField()}
	}
	return &place.Problem{
		Message: fmt.Sprintf("%s and there is room for %d: %s", missing, rooms(sites), nearest(sites)),
		Field:   r.roomField(),
	}
}

// nearest are the sites with the most room.
func nearest(sites []site) string {
	const shown = 5
	sites = slices.SortedStableFunc(slices.Values(sites), func(a, b site) int { return cmp.Compare(b.room, a.room) })
	var parts []string
	for _, s := range sites[:min(shown, len(sites))] {
		part := fmt.Sprintf("%s %d", s.name, s.room)
		if s.room == 0 && !s.known {
			part += " (its resources are not known)"
		}
		parts = append(parts, part)
	}
	if rest := sites[min(shown, len(sites)):]; len(rest) > 0 {
		parts = append(parts, fmt.Sprintf("%d more clusters with %d", len(rest), rooms(rest)))
	}
	return strings.Join(parts, ", ")
}
