package delivery

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// The most observed objects that are neither wanted nor in the inventory: strangersPerObject for each object of the inventory, and
// strangersBeside. Everybody who may create objects on a cluster can put accord's label on any number of them.
const (
	strangersPerObject = 10
	strangersBeside    = 1000
)

// strangersIgnored is the reason of the event about objects that are not observed.
const strangersIgnored = "LabelledObjectsIgnored"

// Admit reports whether the observation of an object is kept. It emits an event when the first object is not.
func (l *State) Admit(c *changes.Changes, id manifest.ID) bool {
	_, observed := l.Live.Get(id)
	if _, wanted := l.Wants.Get(id); observed || wanted {
		return true
	}
	inventory := l.Inventory()
	if _, ours := slices.BinarySearch(inventory, id.Entry()); ours {
		return true
	}
	own := max(len(l.Wants), len(inventory))
	most := own + strangersPerObject*own + strangersBeside
	switch {
	case l.Live.Len() < most:
		l.crowded = l.crowded && l.Live.Len() > most/2
		return true
	case !l.crowded:
		l.crowded = true
		c.Event(l.Delivery, changes.Warning, strangersIgnored, fmt.Sprintf(
			"cluster %s has more than %d objects with the label of this Federation, of which %d are accord's: accord ignores the other ones, such as %s; "+
				"find out who creates them, and remove their label", l.Name, most, own, id))
	}
	return false
}
