// Package outage shows in a review what happens to the objects of clusters that fail: which of them have another place, and, on request,
// when they move.
package outage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/rehearsal"
	"github.com/accord-dev/accord/reconciler/failover"
	"github.com/accord-dev/accord/reconciler/member"
)

// Flags request the timeline of a failure.
type Flags struct {
	length   time.Duration
	returnAt time.Duration
	// unhealthy are the workloads that become unhealthy, as the user names them.
	unhealthy []string
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
	flags.DurationVar(&f.length, "for", 0, "simulation: show for this time what failover does when the clusters of --unreachable fail, and the workloads of --unhealthy become unhealthy")
	flags.DurationVar(&f.returnAt, "return-at", 0, "simulation: time at which the clusters of --unreachable answer and the workloads of --unhealthy are healthy again (default never)")
	flags.StringSliceVar(&f.unhealthy, "unhealthy", nil, "simulation: workload that becomes unhealthy, as [NAMESPACE/]KIND/NAME[@CLUSTER], on every cluster without @CLUSTER (repeatable; requires --for)")
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

// Return returns the time at which the clusters answer again; empty for never.
func (f *Flags) Return() policy.Duration {
	if f.returnAt == 0 {
		return ""
	}
	return policy.Duration(f.returnAt.String())
}

// Check returns an error for flags that contradict each other. simulate and unreachable report whether those flags are set.
func (f *Flags) Check(flags *pflag.FlagSet, simulate, unreachable bool) error {
	switch {
	case flags.Changed("for") && f.length <= 0:
		return errors.New("--for must be more than 0")
	case f.Requested() && !simulate:
		return errors.New("--for requires --simulate")
	case f.Requested() && !unreachable && len(f.unhealthy) == 0:
		return errors.New("--for requires --unreachable, the clusters that fail, or --unhealthy, the workloads that become unhealthy")
	case len(f.unhealthy) > 0 && !f.Requested():
		return errors.New("--unhealthy requires --for, the length of the simulation")
	case flags.Changed("return-at") && !f.Requested():
		return errors.New("--return-at requires --for, the length of the simulation")
	case flags.Changed("return-at") && (f.returnAt <= 0 || f.returnAt >= f.length):
		return errors.New("--return-at must be more than 0 and less than --for")
	}
	return nil
}

// Find returns the object of KIND/NAME in a namespace; an empty namespace means any.
type Find func(kind, name, namespace string) (manifest.ID, error)

// unhealthyCopies returns the copies that the flags make unhealthy.
func (f *Flags) unhealthyCopies(plan *propagate.Plan, find Find) ([]rehearsal.Unhealthy, error) {
	var all []rehearsal.Unhealthy
	for _, wanted := range f.unhealthy {
		object, cluster, named := strings.Cut(wanted, "@")
		parts := strings.Split(object, "/")
		if len(parts) == 2 {
			parts = slices.Insert(parts, 0, "")
		}
		if len(parts) != 3 || parts[1] == "" || parts[2] == "" || named && cluster == "" {
			return nil, fmt.Errorf("--unhealthy %q: expected [NAMESPACE/]KIND/NAME[@CLUSTER], such as deploy/web@eu-1", wanted)
		}
		id, err := find(parts[1], parts[2], parts[0])
		if err != nil {
			return nil, fmt.Errorf("--unhealthy %q: %w", wanted, err)
		}
		if d := plan.Decision(id); named && (d == nil || !d.On(cluster)) {
			return nil, fmt.Errorf("--unhealthy %q: %s%s", wanted, notOn(plan, d, cluster), manifest.DidYouMean(cluster, on(d)))
		}
		all = append(all, rehearsal.Unhealthy{Object: id, Cluster: cluster, Until: f.returnAt})
	}
	return all, nil
}

// on returns the clusters of an object.
func on(d *decision.Decision) []string {
	var names []string
	if d != nil {
		for _, c := range d.Chosen {
			names = append(names, c.Cluster)
		}
	}
	return names
}

// notOn returns why an object cannot be unhealthy on a cluster.
func notOn(plan *propagate.Plan, d *decision.Decision, cluster string) string {
	if !slices.Contains(plan.Clusters(), cluster) {
		return fmt.Sprintf("cluster %q does not exist", cluster)
	}
	if len(on(d)) == 0 {
		return "the plan has the object on no cluster"
	}
	return fmt.Sprintf("the plan does not have the object on %s, only on %s", cluster, phrase.List(on(d), text.FewNames))
}
