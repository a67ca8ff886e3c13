package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/previous"
)

// rebalanceNotes returns a sentence for each WorkloadRebalancer of an object: where it is, whether it takes effect in this plan, and what
// it changes then.
func rebalanceNotes(d *decision.Decision, in propagate.Input) []string {
	if d.Rebalanced == "" {
		return nil
	}
	var before previous.Decision
	for _, p := range in.Previous {
		if p.ID == d.ID {
			before = *p
		}
	}
	var all []string
	for _, name := range strings.Split(d.Rebalanced, ",") {
		title := "WorkloadRebalancer " + name
		for i := range in.Rebalancers {
			if r := &in.Rebalancers[i]; r.Name == name {
				title = fmt.Sprintf("%s (%s)", r.Title(), r.Origin)
			}
		}
		if slices.Contains(strings.Split(before.Rebalanced, ","), name) {
			all = append(all, title+" took effect in an earlier plan, and does so once")
			continue
		}
		all = append(all, fmt.Sprintf("%s takes effect in this plan: the object is placed as if it were new%s", title, placedBefore(d, before.Clusters)))
	}
	return all
}

// placedBefore returns the earlier clusters of an object, if they are known.
func placedBefore(d *decision.Decision, before []previous.Cluster) string {
	if len(before) == 0 {
		return ""
	}
	now := places(d.OwnClusters())
	if was := places(before); was != now {
		return fmt.Sprintf(": on %s, before on %s", now, was)
	}
	return ", and stays as it was"
}

// places returns "eu-1 (3) and eu-2 (6)".
func places(clusters []previous.Cluster) string {
	var names []string
	for _, c := range clusters {
		name := c.Name
		if c.Replicas != nil {
			name += fmt.Sprintf(" (%d)", *c.Replicas)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return phrase.And(names, len(names))
}
