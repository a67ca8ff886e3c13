// Package descheduler has the settings of the descheduler, and the loop that requests a plan when replicas are to move. Package
// propagate/deschedule finds these replicas, and package propagate/divide moves them.
package descheduler

import (
	"context"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
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
