package cluster

import (
	"slices"
	"sync"
	"time"

	"github.com/accord-dev/accord/source"
)

// newest is the number of snapshots that are kept without a request. Snapshots share the files that did not change.
const newest = 16

// History keeps the snapshots of one source, the oldest first, each revision once. The Readers of the source share it, one after the
// other. With a file it survives a restart. It is safe for concurrent use.
type History struct {
	mu        sync.Mutex
	snapshots []past
	kept      map[string]bool // also when newer ones come
	pinned    string          // kept, too
	journal   *journal        // nil without a file
	seen      time.Time       // when the cluster had the last snapshot
}

// past is a snapshot with the digest of the selection that read it.
type past struct {
	source.Snapshot
	selection string
}

func (p past) root() *node { return p.FS.(tree).root }

// NewHistory returns an empty History in memory.
func NewHistory() *History { return &History{} }

// OpenHistory returns the History in a file, which it creates with its directory when the first snapshot is added. A file of another
// owner is replaced. A record whose digest is wrong, and the records after it, do not count: the error names them, and the History
// has the others.
func OpenHistory(path, owner string) (*History, error) {
	j := &journal{path: path, owner: owner}
	snapshots, seen, err := j.read()
	h := &History{journal: j, seen: seen}
	for _, p := range snapshots {
		h.insert(p)
	}
	return h, err
}

// At returns a snapshot; false if it is not kept any more.
func (h *History) At(revision string) (source.Snapshot, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.snapshots {
		if p.Revision == revision {
			return p.Snapshot, true
		}
	}
	return source.Snapshot{}, false
}

// Last returns the last snapshot if a selection with this digest read it, and when the cluster was known to have these objects.
func (h *History) Last(selection string) (s source.Snapshot, seen time.Time, found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.snapshots); n > 0 && h.snapshots[n-1].selection == selection {
		return h.snapshots[n-1].Snapshot, h.seen, true
	}
	return source.Snapshot{}, time.Time{}, false
}

// Keep keeps the snapshots with these revisions, beside the newest ones.
func (h *History) Keep(revisions map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = revisions
	h.drop()
}

// Pin keeps one snapshot beside those of Keep, until another one is pinned.
func (h *History) Pin(revision string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pinned = revision
}

// add adds a snapshot as the newest. It returns an error if the file does not have it; the memory does.
func (h *History) add(p past) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.insert(p)
	h.drop()
	h.seen = time.Now()
	return h.journal.add(h.snapshots)
}

// confirm records that the cluster has the last snapshot now.
func (h *History) confirm() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = time.Now()
	h.journal.confirm(h.seen)
}

func (h *History) insert(p past) {
	h.snapshots = append(slices.DeleteFunc(h.snapshots, func(b past) bool { return b.Revision == p.Revision }), p)
}

func (h *History) drop() {
	old := len(h.snapshots) - newest
	i := 0
	h.snapshots = slices.DeleteFunc(h.snapshots, func(p past) bool {
		i++
		return i <= old && !h.kept[p.Revision] && p.Revision != h.pinned
	})
}
