package delivery

import (
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
)

// ByKind counts the desired objects by their kinds ("Deployment.apps"). Held objects do not count.
func (l *State) ByKind(c Circumstances) map[string]counts.Kind {
	all := map[string]counts.Kind{}
	for id, w := range l.Wants.All() {
		cell := l.Cell(id, w, c)
		state, _ := cell.State()
		if state == v1alpha1.Held {
			continue
		}
		kind := id.GroupKind().String()
		n := all[kind]
		n.Desired++
		if cell.Applied() {
			n.Applied++
		}
		if state == v1alpha1.Failed {
			n.Failed++
		}
		all[kind] = n
	}
	return all
}
