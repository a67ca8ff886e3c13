package state

import (
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// leadTime measures how long commits take, by following the newest Release of a Federation.
type leadTime struct {
	applied, healthy Durations

	release                string // the one that is followed
	wasApplied, wasHealthy bool   // it was measured, or began before this process
	ready                  int64  // the generation of it that was Ready first
	news                   bool   // that it is Ready needs an event
}

// follow takes over the next status of a Release, which r does not have yet.
func (t *leadTime) follow(r *v1alpha1.Release, next v1alpha1.ReleaseStatus, now time.Time) {
	if t.release != r.Name {
		t.begin(r)
	}
	ready := meta.IsStatusConditionTrue(next.Conditions, fluxmeta.ReadyCondition)
	if !t.wasApplied && meta.IsStatusConditionTrue(next.Conditions, v1alpha1.Applied) {
		t.wasApplied = true
		t.applied.observe(commitAge(r, now))
	}
	if !t.wasHealthy && ready {
		t.wasHealthy = true
		t.healthy.observe(commitAge(r, now))
	}
	if ready && t.ready != r.Generation {
		t.ready, t.news = r.Generation, true
	}
}

// begin follows another Release. A Release that is Ready already had its event; one with a second plan was under way
// before, and nobody knows any more when it first arrived.
func (t *leadTime) begin(r *v1alpha1.Release) {
	again := r.Generation > 1
	t.release, t.ready, t.news = r.Name, 0, false
	t.wasApplied = again || meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.Applied)
	t.wasHealthy = again || meta.IsStatusConditionTrue(r.Status.Conditions, fluxmeta.ReadyCondition)
	c := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition)
	if c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == r.Generation {
		t.ready = r.Generation
	}
}

// becameReady reports once whether a Release became Ready.
func (t *leadTime) becameReady(release string) bool {
	news := t.news && t.release == release
	t.news = t.news && !news
	return news
}

// commitAge returns the age of a Release's commit. The clock of its author may be ahead.
func commitAge(r *v1alpha1.Release, now time.Time) time.Duration {
	if r.Spec.CommittedAt == nil {
		return 0
	}
	return max(0, now.Sub(r.Spec.CommittedAt.Time))
}

// DurationBuckets are the upper bounds of the buckets of Durations, in seconds: from a push that is noticed at once to
// one that waits for a maintenance window.
var DurationBuckets = [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600}

// Durations is a histogram. It is a value, so it ends with its Federation.
type Durations struct {
	Counts [len(DurationBuckets)]uint64 // of each bucket alone
	Count  uint64
	Sum    float64
}

func (d *Durations) observe(took time.Duration) {
	d.Count++
	d.Sum += took.Seconds()
	for i, bound := range DurationBuckets {
		if took.Seconds() <= bound {
			d.Counts[i]++
			return
		}
	}
}
