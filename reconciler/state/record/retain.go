package record

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// keptReleases is the number of Releases of a Federation that stay on the hub, beside those of revisions that are in use.
	keptReleases = 10
	// liveSpacing is the time of which one Release stays, its last, if only live clusters changed: a cluster can change five times a
	// second, and ten Releases of two seconds are no history.
	liveSpacing = time.Minute
)

// Retain returns the older Releases that stay, and those to delete; both newest first, as older is.
func Retain(newest *v1alpha1.Release, older []v1alpha1.Release, used map[string]bool) (stay, expired []v1alpha1.Release) {
	after, kept := newest, 1
	for i := range older {
		r := &older[i]
		crowded := onlyLive(r) && samePeriod(r, after)
		after = r
		switch {
		case !crowded && kept < keptReleases:
			kept++
			stay = append(stay, *r)
		case used[r.Spec.Revision]:
			stay = append(stay, *r)
		default:
			expired = append(expired, *r)
		}
	}
	return stay, expired
}

// onlyLive reports whether nothing but live clusters changed.
func onlyLive(r *v1alpha1.Release) bool {
	changed := false
	for _, s := range r.Spec.Sources {
		if s.Changed && !s.IsLive() {
			return false
		}
		changed = changed || s.Changed
	}
	return changed
}

func samePeriod(a, b *v1alpha1.Release) bool {
	return a.CreationTimestamp.Truncate(liveSpacing).Equal(b.CreationTimestamp.Truncate(liveSpacing))
}
