package place

import (
	"fmt"
	"slices"
	"strings"
)

// tooMany says of each cluster of rest that no more are wanted than those that are chosen, last of them before it.
func (q Question) tooMany(limit constraint, fit int, last Candidate, rest []Candidate) []Left {
	left := make([]Left, len(rest))
	for i, c := range rest {
		left[i] = Left{
			Cluster: c.Cluster.Name,
			Why:     fmt.Sprintf("is left out: at most %s wanted, and %s", limit.some(fit), q.before(last, c)),
			Field:   limit.field + ".maxGroups",
		}
	}
	return left
}

// others says of the clusters that a chosen region has more that no more are wanted than one of each region.
func (q Question) others(r region, limit constraint, fit int) []Left {
	left := make([]Left, len(r.clusters)-1)
	for i, c := range r.clusters[1:] {
		left[i] = Left{
			Cluster: c.Cluster.Name,
			Why: fmt.Sprintf("is left out: at most %s wanted, so each region gives one, and %s",
				limit.some(fit), q.before(r.clusters[0], c)),
			Field: limit.field + ".maxGroups",
		}
	}
	return left
}

// some is "1 of 3 clusters is", "2 of 3 clusters are".
func (c constraint) some(of int) string {
	if c.most == 1 {
		return fmt.Sprintf("1 of %d clusters is", of)
	}
	return fmt.Sprintf("%d of %d clusters are", c.most, of)
}

// before is why a cluster was chosen and another was not.
func (q Question) before(chosen, left Candidate) string {
	name := chosen.Cluster.Name
	switch {
	case q.prefer(chosen, left) > 0:
		return fmt.Sprintf("%d replicas need clusters with more room than %d", q.replicas(), q.available(left))
	case chosen.Tier != left.Tier:
		return name + " is in an affinity that is filled first"
	case chosen.Chosen != left.Chosen:
		return name + " has the object already"
	case q.available(chosen) == q.available(left):
		return name + " comes first by name"
	case q.replicas() == 0:
		return fmt.Sprintf("%s has more replicas already (%d against %d)", name, q.available(chosen), q.available(left))
	}
	return fmt.Sprintf("%s has more room (%d against %d)", name, q.available(chosen), q.available(left))
}

// elsewhere says of each cluster of a region that others are chosen; those have the worthiest first.
func (q Question) elsewhere(r region, chosen []region, limit, cluster constraint) []Left {
	names := make([]string, len(chosen))
	for i, c := range chosen {
		names[i] = c.name
	}
	slices.Sort(names)
	why := fmt.Sprintf("is in region %s, and only %s chosen: %s", r.name, listed(names), q.better(chosen[len(chosen)-1], r, cluster))
	left := make([]Left, len(r.clusters))
	for i, c := range r.clusters {
		left[i] = Left{Cluster: c.Cluster.Name, Why: why, Field: limit.field}
	}
	return left
}

// better is why a region was chosen and another was not. One that is worth less may be chosen for the clusters that the
// combination has.
func (q Question) better(chosen, left region, cluster constraint) string {
	switch {
	case chosen.worth < left.worth:
		return fmt.Sprintf("that is the best combination with %s", counted(cluster.least, "cluster"))
	case chosen.worth/unit != left.worth/unit:
		return q.richer(chosen, left)
	case chosen.worth != left.worth:
		return chosen.name + " has the object already"
	case len(chosen.clusters) != len(left.clusters):
		return fmt.Sprintf("%s has %s, %s has %d", chosen.name, counted(len(chosen.clusters), "cluster"), left.name, len(left.clusters))
	}
	return chosen.name + " comes first by name"
}

// richer is what two regions are worth, in words.
func (q Question) richer(chosen, left region) string {
	has, lacks := int(chosen.worth/unit), int(left.worth/unit)
	switch {
	case q.divided():
		return fmt.Sprintf("%s has room for %s, %s for %d", chosen.name, counted(has, "replica"), left.name, lacks)
	case q.replicas() == 0:
		return fmt.Sprintf("%s has %s, %s has %d", chosen.name, counted(has, "cluster"), left.name, lacks)
	}
	return fmt.Sprintf("%s has %s with room for %s, %s has %d",
		chosen.name, counted(has, "cluster"), counted(int(q.replicas()), "replica"), left.name, lacks)
}

// counted is "1 cluster", "2 clusters".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// listed is names as a sentence has them, no more than three, with the verb.
func listed(names []string) string {
	const shown = 3
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more are", strings.Join(names[:shown], ", "), more)
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
	}
	return names[0] + " is"
}
