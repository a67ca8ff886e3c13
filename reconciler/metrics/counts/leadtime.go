package counts

import (
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// LeadTime measures how long commits take from the committer's time to Applied and to Ready. It follows the newest
// Release of a Federation and counts every commit once.
type LeadTime struct {
	Applied, Healthy Histogram
	// Behind is the time of the oldest change of the sources that a cluster does not have; zero while all have every change.
	Behind time.Time

	release                  string // the one that it follows
	appliedDone, healthyDone bool   // counted, or older than this process
	readyGeneration          int64  // the first generation of the Release that was Ready
	readyNews                bool   // that generation has not been reported yet
}

// Observe records the next status of a Release, before it is stored in it.
func (l *LeadTime) Observe(r *v1alpha1.Release, next v1alpha1.ReleaseStatus, now time.Time) {
	if l.release != r.Name {
		l.follow(r)
	}
	ready, applied := meta.IsStatusConditionTrue(next.Conditions, fluxmeta.ReadyCondition), meta.IsStatusConditionTrue(next.Conditions, v1alpha1.Applied)
	switch {
	case applied:
		l.Behind = time.Time{}
	case l.Behind.IsZero() && r.Spec.CommittedAt != nil:
		l.Behind = r.Spec.CommittedAt.Time
	}
	if !l.appliedDone && applied {
		l.appliedDone = true
		l.Applied.Observe(Since(r, now))
	}
	if !l.healthyDone && ready {
		l.healthyDone = true
		l.Healthy.Observe(Since(r, now))
	}
	if ready && l.readyGeneration != r.Generation {
		l.readyGeneration, l.readyNews = r.Generation, true
	}
}

// follow starts with another Release. A Release that is Ready now was reported by an earlier process. One with a second
// plan began earlier, and the time at which the first plan was done is not known any more: it is not counted.
func (l *LeadTime) follow(r *v1alpha1.Release) {
	again := r.Generation > 1
	l.release, l.readyGeneration, l.readyNews = r.Name, 0, false
	l.appliedDone = again || meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.Applied)
	l.healthyDone = again || meta.IsStatusConditionTrue(r.Status.Conditions, fluxmeta.ReadyCondition)
	if c := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition); c != nil && c.Status == "True" && c.ObservedGeneration == r.Generation {
		l.readyGeneration = r.Generation
	}
}

// TakeReady reports whether the Release became Ready since the last call, once for every plan of it.
func (l *LeadTime) TakeReady(release string) bool {
	if !l.readyNews || l.release != release {
		return false
	}
	l.readyNews = false
	return true
}

// Since returns the age of the commit of a Release, 0 if the committer's clock is ahead or its time is not known.
func Since(r *v1alpha1.Release, now time.Time) time.Duration {
	if r.Spec.CommittedAt == nil {
		return 0
	}
	return max(0, now.Sub(r.Spec.CommittedAt.Time))
}

// buckets are the upper bounds of a Histogram, in seconds: from a push that is noticed at once to a commit that waits
// for a maintenance window.
var buckets = [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600}

// Histogram counts durations. Its zero value is empty.
type Histogram struct {
	counts [len(buckets)]uint64 // of each bucket alone
	Count  uint64
	Sum    float64
}

// Observe counts one duration.
func (h *Histogram) Observe(d time.Duration) {
	h.Count++
	h.Sum += d.Seconds()
	for i, bound := range buckets {
		if d.Seconds() <= bound {
			h.counts[i]++
			return
		}
	}
}

// Cumulative returns for every upper bound how many durations are not longer.
func (h *Histogram) Cumulative() map[float64]uint64 {
	cumulative, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range buckets {
		sum += h.counts[i]
		cumulative[bound] = sum
	}
	return cumulative
}
