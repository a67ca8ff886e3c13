package cluster

import (
	"slices"

	"github.com/accord-dev/accord/source"
)

// newest is the number of snapshots that are kept without a request. Snapshots share the files that did not change.
const newest = 16

// history keeps snapshots, the oldest first, each revision once.
type history struct {
	snapshots []source.Snapshot
	kept      map[string]bool // also when newer ones come
}

func (h *history) at(revision string) (source.Snapshot, bool) {
	i := slices.IndexFunc(h.snapshots, func(s source.Snapshot) bool { return s.Revision == revision })
	if i < 0 {
		return source.Snapshot{}, false
	}
	return h.snapshots[i], true
}

func (h *history) add(s source.Snapshot) {
	h.snapshots = append(slices.DeleteFunc(h.snapshots, func(b source.Snapshot) bool { return b.Revision == s.Revision }), s)
	h.drop()
}

func (h *history) keep(revisions map[string]bool) {
	h.kept = revisions
	h.drop()
}

func (h *history) drop() {
	old := len(h.snapshots) - newest
	i := 0
	h.snapshots = slices.DeleteFunc(h.snapshots, func(s source.Snapshot) bool {
		i++
		return i <= old && !h.kept[s.Revision]
	})
}
