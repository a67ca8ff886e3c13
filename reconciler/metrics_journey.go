package reconciler

import (
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// journey follows the newest Release of a federation. It is guarded by the mutex of the federation.
type journey struct {
	applied, healthy durations

	release                string // the one that is followed
	wasApplied, wasHealthy bool   // it was counted, or began before this process
	ready                  int64  // the generation of it that was Ready first
	news                   bool   // that it is Ready has to be told
}

// goes on to the next status of a Release, which is not in it yet.
func (j *journey) goes(r *v1alpha1.Release, next v1alpha1.ReleaseStatus, now time.Time) {
	if j.release != r.Name {
		j.begin(r)
	}
	ready := meta.IsStatusConditionTrue(next.Conditions, fluxmeta.ReadyCondition)
	if !j.wasApplied && meta.IsStatusConditionTrue(next.Conditions, v1alpha1.Applied) {
		j.wasApplied = true
		j.applied.observe(since(r, now))
	}
	if !j.wasHealthy && ready {
		j.wasHealthy = true
		j.healthy.observe(since(r, now))
	}
	if ready && j.ready != r.Generation {
		j.ready, j.news = r.Generation, true
	}
}

// begin follows another Release. What is Ready already was told before; what has a second plan already was on its way
// before, and when it first arrived is not known any more.
func (j *journey) begin(r *v1alpha1.Release) {
	again := r.Generation > 1
	j.release, j.ready, j.news = r.Name, 0, false
	j.wasApplied = again || meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.Applied)
	j.wasHealthy = again || meta.IsStatusConditionTrue(r.Status.Conditions, fluxmeta.ReadyCondition)
	if c := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition); c != nil && c.Status == "True" && c.ObservedGeneration == r.Generation {
		j.ready = r.Generation
	}
}

// since is how old the commit is. The clock of who made it may go ahead of ours.
func since(r *v1alpha1.Release, now time.Time) time.Duration {
	if r.Spec.CommittedAt == nil {
		return 0
	}
	return max(0, now.Sub(r.Spec.CommittedAt.Time))
}

// durationBuckets are the upper bounds of the buckets of durations, in seconds: from a push that is noticed at once to one
// that waits for a maintenance window.
var durationBuckets = [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600}

// durations is a histogram. It is a value, so that it ends with what it is about.
type durations struct {
	counts [len(durationBuckets)]uint64 // of each bucket alone
	count  uint64
	sum    float64
}

func (d *durations) observe(took time.Duration) {
	d.count++
	d.sum += took.Seconds()
	for i, bound := range durationBuckets {
		if took.Seconds() <= bound {
			d.counts[i]++
			return
		}
	}
}

func (d *durations) metric(desc *prometheus.Desc, labels ...string) prometheus.Metric {
	cumulative, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range durationBuckets {
		sum += d.counts[i]
		cumulative[bound] = sum
	}
	return prometheus.MustNewConstHistogram(desc, d.count, d.sum, cumulative, labels...)
}
