package outage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/rehearsal"
)

const (
	// maxDecisions bounds the decisions that the examination of clusters makes: each cluster takes those of a whole plan.
	maxDecisions = 50_000
	// notedClusters is the number of clusters that the notes name.
	notedClusters = 3
	// namedObjects is the number of objects that a note names before it counts the others.
	namedObjects = 3
)

// Report is the effect of failing clusters.
type Report struct {
	// Clusters are the examined clusters, those with the most objects without another place first. Each fails alone and for ever.
	Clusters []Cluster `json:"clusters,omitempty"`
	// NotExamined counts the clusters with fewer objects that were left out to save time.
	NotExamined int `json:"notExamined,omitempty"`
	// Rehearsal is the result of --for.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

// Cluster is the effect of one cluster that fails.
type Cluster struct {
	Cluster string `json:"cluster"`
	// Placed counts the objects with failover that have another place.
	Placed int `json:"placed"`
	// WithoutPlace are the other objects with failover.
	WithoutPlace []Object `json:"withoutPlace"`

	sentence string
}

// Object is an object on a cluster, at the end.
type Object struct {
	Object  string          `json:"object"`
	Cluster string          `json:"cluster"`
	State   rehearsal.State `json:"state"`
	// Message is the reason of NoPlace.
	Message string `json:"message,omitempty"`
	// To are the other clusters of the object.
	To []Target `json:"to,omitempty"`
}

// Target is a cluster of an object.
type Target struct {
	Cluster  string `json:"cluster"`
	Replicas *int32 `json:"replicas,omitempty"`
}

// Events are those of the timeline beside the flags.
type Events struct {
	// Unreachable are the clusters that fail.
	Unreachable  []string
	HealthyAfter time.Duration
	// Rollouts begin with the failure.
	Rollouts []rehearsal.Rollout
	// Find finds the objects that the flags name.
	Find Find
}

// New returns the report about a plan, which is that of in; nil if the Federation does not enable failover and no timeline is requested.
// The error names a cluster or an object that does not exist.
func New(in propagate.Input, plan *propagate.Plan, fed *v1alpha1.Federation, f Flags, events Events) (*Report, error) {
	settings, r := failover.Configured(f.defaults.Over(fed.Spec.Failover, f.health.MostUnreachable())), &Report{}
	if settings.Enabled {
		if err := r.examine(in, plan, settings); err != nil {
			return nil, err
		}
	}
	if f.Requested() {
		s := rehearsal.Scenario{
			For: f.length, HealthyAfter: events.HealthyAfter, Rollouts: events.Rollouts, Settings: settings,
			Threshold: f.health.Thresholds.Failure, SuccessThreshold: f.health.Thresholds.Success, EvictionTimeout: f.health.EvictionTimeout,
		}
		for _, name := range events.Unreachable {
			if !slices.Contains(plan.Clusters(), name) {
				return nil, fmt.Errorf("--unreachable names cluster %q, which does not exist%s", name, manifest.DidYouMean(name, plan.Clusters()))
			}
			s.Failures = append(s.Failures, rehearsal.Failure{Cluster: name, Until: f.returnAt})
		}
		var err error
		if s.Unhealthy, err = f.unhealthyCopies(plan, events.Find); err != nil {
			return nil, err
		}
		line, err := rehearsal.Play(in, plan, s)
		if err != nil {
			return nil, fmt.Errorf("simulating the failure: %w", err)
		}
		r.Rehearsal = newRehearsal(s.WithDefaults(), line)
	}
	if len(r.Clusters) == 0 && r.Rehearsal == nil {
		return nil, nil
	}
	return r, nil
}

// examine examines the clusters with the most objects with failover.
func (r *Report) examine(in propagate.Input, plan *propagate.Plan, settings failover.Settings) error {
	objects := map[string]int{}
	for _, d := range plan.Decisions {
		if hasFailover(d) {
			for _, c := range d.Chosen {
				objects[c.Cluster]++
			}
		}
	}
	names := slices.SortedFunc(slices.Values(plan.Clusters()), func(a, b string) int { return cmp.Or(objects[b]-objects[a], strings.Compare(a, b)) })
	names = slices.DeleteFunc(names, func(name string) bool { return objects[name] == 0 })
	if most := max(1, maxDecisions/max(1, len(plan.Decisions))); len(names) > most {
		names, r.NotExamined = names[:most], len(names)-most
	}
	for _, name := range names {
		s, err := rehearsal.Examine(in, plan, settings, name)
		if err != nil {
			return fmt.Errorf("examining the failure of %s: %w", name, err)
		}
		if s.Placed+len(s.None) == 0 {
			continue // their policies tolerate the failure for ever
		}
		c := Cluster{Cluster: name, Placed: s.Placed, WithoutPlace: []Object{}, sentence: s.String()}
		for _, e := range s.None {
			c.WithoutPlace = append(c.WithoutPlace, newObject(e))
		}
		r.Clusters = append(r.Clusters, c)
	}
	slices.SortStableFunc(r.Clusters, func(a, b Cluster) int { return len(b.WithoutPlace) - len(a.WithoutPlace) })
	return nil
}

// hasFailover reports whether the policy of an object has failover from clusters.
func hasFailover(d *decision.Decision) bool {
	return d.Policy != nil && d.Policy.Spec.Failover != nil && d.Policy.Spec.Failover.Cluster != nil
}

func newObject(e rehearsal.End) Object {
	o := Object{Object: e.ID.String(), Cluster: e.Cluster, State: e.State, Message: e.Message}
	for _, c := range e.To {
		o.To = append(o.To, Target{c.Name, c.Replicas})
	}
	return o
}

// Notes returns sentences about the clusters that leave objects without a place, or one about all clusters.
func (r *Report) Notes() []string {
	if r == nil || len(r.Clusters) == 0 {
		return nil
	}
	var notes []string
	for _, c := range r.Clusters[:min(len(r.Clusters), notedClusters)] {
		if len(c.WithoutPlace) == 0 {
			break
		}
		var names []string
		for _, o := range c.WithoutPlace {
			names = append(names, o.Object)
		}
		notes = append(notes, c.sentence+": "+phrase.List(names, namedObjects))
	}
	if len(notes) == 0 {
		failing := r.Clusters[0].Cluster
		if len(r.Clusters) > 1 {
			failing = fmt.Sprintf("one of %d examined clusters", len(r.Clusters))
		}
		return []string{fmt.Sprintf("if %s fails: all objects with failover have a place", failing)}
	}
	return notes
}
