package diff

import (
	"maps"
	"slices"
)

// count sums up the changes by cluster and in all.
func (c *comparison) count() ([]Cluster, Totals) {
	var totals Totals
	clusters := map[string]*Cluster{}
	for _, o := range c.objects {
		for _, s := range o.outcomes {
			for i, name := range s.clusters {
				if clusters[name] == nil {
					clusters[name] = &Cluster{Name: name, Joins: c.joins[name], Leaves: c.leaves[name]}
				}
				clusters[name].add(s.counts(i))
			}
		}
		if len(o.outcomes) > 0 {
			totals.Objects++
		}
	}
	changed := make([]Cluster, 0, len(clusters))
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		changed = append(changed, *clusters[name])
		totals.add(clusters[name].Counts)
	}
	totals.Clusters, totals.Fleet = len(changed), len(c.after.Plan.Clusters())+len(c.leaves)
	return changed, totals
}

// counts returns the counts of one place.
func (s *outcome) counts(place int) Counts {
	counts := Counts{RestartedPods: s.pods[place]}
	switch s.action {
	case Create:
		counts.Created = 1
	case Modify:
		counts.Changed = 1
	case Recreate:
		counts.Changed, counts.Recreated = 1, 1
	case Delete:
		counts.Deleted = 1
	case Keep:
		counts.Kept = 1
	case Hold:
		counts.Held = 1
	case Fail:
		counts.Failed = 1
	}
	return counts
}

func (c *Counts) add(other Counts) {
	c.Created += other.Created
	c.Changed += other.Changed
	c.Recreated += other.Recreated
	c.Deleted += other.Deleted
	c.Kept += other.Kept
	c.Held += other.Held
	c.Failed += other.Failed
	c.RestartedPods += other.RestartedPods
}
