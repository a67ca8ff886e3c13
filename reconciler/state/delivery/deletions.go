package delivery

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// Deletions returns the objects that are not wanted, were deleted and are still there, the oldest deletion first.
func (l *State) Deletions() []v1alpha1.PendingDeletion {
	var all []v1alpha1.PendingDeletion
	for id, seen := range l.extra {
		if !seen.Deleting && !l.Pruned[id] {
			continue
		}
		d := v1alpha1.PendingDeletion{Object: id.String()}
		if seen.Deleting {
			d.Finalizer, d.Since = seen.Finalizer, status.Time(time.Unix(seen.DeletedAt, 0))
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b v1alpha1.PendingDeletion) int {
		return cmp.Or(cmp.Compare(sinceOf(a), sinceOf(b)), cmp.Compare(a.Object, b.Object))
	})
	return all
}

// sinceOf returns the time of a deletion in seconds; one that is not observed yet is the newest.
func sinceOf(d v1alpha1.PendingDeletion) int64 {
	if d.Since == nil {
		return math.MaxInt64
	}
	return d.Since.Unix()
}

// PruneError returns an error about an object that is not wanted and could not be deleted, empty if there is none. No wanted
// object shows such an error.
func (l *State) PruneError() string {
	var all []string
	for id, err := range l.Errors {
		if _, wanted := l.Wants.Get(id); !wanted {
			all = append(all, id.String()+": "+err)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return slices.Min(all)
}

// Waits reports whether an object that is gone waited for a finalizer: then the inventory still has it.
func (l *State) Waits(id manifest.ID) bool {
	seen, there := l.Live.Get(id)
	return there && seen.Finalizer != "" && l.Wants.Of(id).Digest == ""
}
