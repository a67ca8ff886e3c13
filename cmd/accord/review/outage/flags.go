// Package outage shows in a review what happens to the objects of clusters that fail: which of them have another place, and, on request,
// when they move.
package outage

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/reconciler/failover"
	"github.com/accord-dev/accord/reconciler/member"
)

// Flags request the timeline of a failure.
type Flags struct {
	length   time.Duration
	returnAt time.Duration
	// health and defaults are the settings of the hub.
	health   member.Health
	defaults failover.Defaults
}

// hubFlags are the flags of "accord run" that change the course of a failure.
var hubFlags = []string{
	"cluster-failure-threshold", "cluster-success-threshold", "failover-eviction-timeout", "failover-max-unreachable", "graceful-eviction-timeout",
	"resource-eviction-rate", "default-not-ready-toleration-seconds", "default-unreachable-toleration-seconds",
}

// Register registers the flags.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.DurationVar(&f.length, "for", 0, "simulation: show for this time what failover does when the clusters of --unreachable fail")
	flags.DurationVar(&f.returnAt, "return-at", 0, "simulation: time at which the clusters of --unreachable answer again (default never)")
	ofRun := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.health.Register(ofRun)
	f.defaults.Register(ofRun)
	for _, name := range hubFlags {
		known := ofRun.Lookup(name)
		known.Usage = "failover: --" + name + " of the controllers"
		flags.AddFlag(known)
	}
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
