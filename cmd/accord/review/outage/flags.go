// Package outage shows in a review what happens to the objects of clusters that fail: which of them have another place, and, on request,
// when they move.
package outage

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
)

// Flags request the timeline of a failure.
type Flags struct {
	length   time.Duration
	returnAt time.Duration
}

// Register registers the flags.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.DurationVar(&f.length, "for", 0, "simulation: show for this time what failover does when the clusters of --unreachable fail")
	flags.DurationVar(&f.returnAt, "return-at", 0, "simulation: time at which the clusters of --unreachable answer again (default never)")
}

// Requested reports whether the flags ask for a timeline.
func (f *Flags) Requested() bool { return f.length > 0 }

// Check returns an error for flags that contradict each other. simulate and unreachable report whether those flags are set.
func (f *Flags) Check(flags *pflag.FlagSet, simulate, unreachable bool) error {
	switch {
	case flags.Changed("for") && f.length <= 0:
		return errors.New("--for must be more than 0")
	case f.Requested() && !simulate:
		return errors.New("--for requires --simulate")
	case f.Requested() && !unreachable:
		return errors.New("--for requires --unreachable, the clusters that fail")
	case flags.Changed("return-at") && !f.Requested():
		return errors.New("--return-at requires --for, the length of the simulation")
	case flags.Changed("return-at") && (f.returnAt <= 0 || f.returnAt >= f.length):
		return errors.New("--return-at must be more than 0 and less than --for")
	}
	return nil
}
