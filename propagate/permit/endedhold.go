package permit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

// EndedHold is a hold that a change ends, and that alone kept objects from being deleted.
type EndedHold struct {
	Cluster string
	// Why is the reason of the hold.
	Why string
	// Objects are those that the change deletes on the cluster, sorted; at least one.
	Objects []manifest.ID
	// At is the place of the first object before the change.
	At manifest.Origin
}

// EndedHolds returns the holds that end when after replaces before, with the objects that are then deleted although they were
// held before, sorted by cluster. Such a deletion is easy to overlook, because the manifest with the hold may be a part of
// what the change removes. A cluster that leaves the fleet keeps its objects.
func EndedHolds(before, after *propagate.Plan) []EndedHold {
	if !before.Holds() {
		return nil
	}
	found := map[[2]string]*EndedHold{}
	fleet := after.Clusters()
	for _, d := range before.Decisions {
		if d.Preserve {
			continue
		}
		for _, c := range d.Chosen {
			why := before.Held(c)
			if why == "" || after.PlacedOn(c.Cluster, d.ID) || !slices.Contains(fleet, c.Cluster) ||
				after.KeepReason(c.Cluster, d.ID, before.Manifest(d.ID).Labels()) != "" {
				continue
			}
			key := [2]string{c.Cluster, why}
			if found[key] == nil {
				found[key] = &EndedHold{Cluster: c.Cluster, Why: why, At: d.Origin}
			}
			found[key].Objects = append(found[key].Objects, d.ID)
		}
	}
	var all []EndedHold
	for _, h := range found {
		all = append(all, *h)
	}
	slices.SortFunc(all, func(a, b EndedHold) int { return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Why, b.Why)) })
	return all
}

// String returns the hold, the number of its objects, and the way to allow the deletion.
func (h EndedHold) String() string {
	return fmt.Sprintf("the hold of %s ends with this commit, and deletes %s there (%s); held until now: %s; a commit with the trailer \"Accord-Prune: allow\" allows it",
		h.Cluster, phrase.Count(len(h.Objects), "object"), enumerate(h.Objects), h.Why)
}
