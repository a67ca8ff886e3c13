// Package descheduler has the settings of the descheduler, and the loop that requests a plan when replicas are to move. Package
// propagate/deschedule finds these replicas, and package propagate/divide moves them.
package descheduler

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/reconciler/state"
)

// defaultThreshold and defaultInterval are those of Karmada.
const (
	defaultThreshold = 5 * time.Minute
	defaultInterval  = 2 * time.Minute
)

// Settings are the settings of the hub. The zero Settings have the defaults of the flags.
type Settings struct {
	// UnschedulableThreshold is the threshold of Federations that set none.
	UnschedulableThreshold time.Duration
	// Interval is the time between two checks.
	Interval time.Duration
}

// Register adds the flags, with the names that Karmada has.
func (s *Settings) Register(f *pflag.FlagSet) {
	f.DurationVar(&s.UnschedulableThreshold, "unschedulable-threshold", defaultThreshold, "time for which a pod is unschedulable before the descheduler moves its replica, in Federations without unschedulableThreshold")
	f.DurationVar(&s.Interval, "descheduling-interval", defaultInterval, "time between two checks of the descheduler")
}

// Threshold returns the time for which a pod of a Federation is unschedulable before its replica moves; 0 if replicas never move.
func (s Settings) Threshold(spec *v1alpha1.Descheduler) time.Duration {
	switch {
	case spec == nil || !spec.Enabled:
		return 0
	case spec.UnschedulableThreshold != nil:
		return spec.UnschedulableThreshold.Duration
	case s.UnschedulableThreshold > 0:
		return s.UnschedulableThreshold
	}
	return defaultThreshold
}

// Movable returns the threshold of a workload of which replicas may move, and Period; 0 for other objects.
func (s Settings) Movable(f *state.Federation, id manifest.ID) (threshold, interval time.Duration) {
	if threshold = s.Threshold(f.Spec().Descheduler); threshold == 0 || !applies(f.Plan(), id) {
		return 0, 0
	}
	return threshold, s.Period()
}

// applies reports whether replicas of an object of a plan, which may be nil, may move.
func applies(plan *propagate.Plan, id manifest.ID) bool {
	if plan == nil {
		return false
	}
	d := plan.Decision(id)
	return d != nil && deschedule.Applies(d.Policy)
}

// AddTo adds to a part of a bundle the workloads of which the agent counts the replicas that the cluster cannot schedule.
func (s Settings) AddTo(part *bundle.Part, f *state.Federation) {
	threshold, plan := s.Threshold(f.Spec().Descheduler), f.Plan()
	if threshold == 0 {
		return
	}
	for _, o := range part.Objects {
		if id, err := manifest.ParseEntry(o.Entry); err == nil && applies(plan, id) {
			part.Movable = append(part.Movable, o.Entry)
		}
	}
	slices.Sort(part.Movable)
	if len(part.Movable) > 0 {
		part.Settings.Descheduling = bundle.Descheduling{Threshold: metav1.Duration{Duration: threshold}, Interval: metav1.Duration{Duration: s.Period()}}
	}
}

// Period returns the time between two checks.
func (s Settings) Period() time.Duration {
	if s.Interval > 0 {
		return s.Interval
	}
	return defaultInterval
}

// Run requests a plan of each Federation with replicas to move, until ctx ends.
func (s Settings) Run(ctx context.Context, registry *state.Registry, replan func(types.NamespacedName)) {
	tick := time.NewTicker(s.Period())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, f := range registry.Federations() {
			if s.Threshold(f.Spec().Descheduler) > 0 && len(f.Unschedulable(time.Now())) > 0 {
				replan(f.Key())
			}
		}
	}
}
