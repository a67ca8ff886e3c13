package place

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
)

// tooMany returns the reason for each cluster of rest: the constraint allows no more than the chosen ones, of which
// last is the last.
func (q Question) tooMany(limit constraint, fit int, last Candidate, rest []Candidate) []NotChosen {
	left := make([]NotChosen, len(rest))
	for i, c := range rest {
		left[i] = NotChosen{
			Cluster: c.Cluster.Name,
			Why:     fmt.Sprintf("is left out: at most %s wanted, and %s", limit.atMost(fit), q.preferenceReason(last, c)),
			Field:   limit.field + ".maxGroups",
			Reason:  AboveMax,
		}
	}
	return left
}

// others returns the reason for the other clusters of a chosen region: the constraint allows one of each region.
func (q Question) others(r region, limit constraint, fit int) []NotChosen {
	left := make([]NotChosen, len(r.clusters)-1)
	for i, c := range r.clusters[1:] {
		left[i] = NotChosen{
			Cluster: c.Cluster.Name,
			Why: fmt.Sprintf("is left out: at most %s wanted, so each region gives one, and %s",
				limit.atMost(fit), q.preferenceReason(r.clusters[0], c)),
			Field: limit.field + ".maxGroups",
		}
	}
	return left
}

// atMost returns "1 of 3 clusters is", "2 of 3 clusters are".
func (c constraint) atMost(of int) string {
	return fmt.Sprintf("%d of %d clusters %s", c.most, of, phrase.Plural(c.most, "is", "are"))
}

// preferenceReason returns the reason why one cluster was preferred to another.
func (q Question) preferenceReason(chosen, left Candidate) string {
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

// elsewhere returns the reason for each cluster of a region that was not chosen; chosen has the worthiest region first.
func (q Question) elsewhere(r region, chosen []region, limit, cluster constraint) []NotChosen {
	names := make([]string, len(chosen))
	for i, c := range chosen {
		names[i] = c.name
	}
	slices.Sort(names)
	why := fmt.Sprintf("is in region %s, and only %s chosen: %s", r.name, listed(names), q.regionReason(chosen[len(chosen)-1], r, cluster))
	reason := Outranked
	if len(chosen) >= limit.most {
		reason = AboveMax
	}
	left := make([]NotChosen, len(r.clusters))
	for i, c := range r.clusters {
		left[i] = NotChosen{Cluster: c.Cluster.Name, Why: why, Field: limit.field, Reason: reason}
	}
	return left
}

// regionReason returns the reason why one region was preferred to another. A less worthy region may be chosen because the
// combination needs its clusters.
func (q Question) regionReason(chosen, left region, cluster constraint) string {
	switch {
	case chosen.worth < left.worth:
		return fmt.Sprintf("that is the best combination with %s", phrase.Count(cluster.least, "cluster"))
	case chosen.worth/unit != left.worth/unit:
		return q.worthReason(chosen, left)
	case chosen.worth != left.worth:
		return chosen.name + " has the object already"
	case len(chosen.clusters) != len(left.clusters):
		return fmt.Sprintf("%s has %s, %s has %d", chosen.name, phrase.Count(len(chosen.clusters), "cluster"), left.name, len(left.clusters))
	}
	return chosen.name + " comes first by name"
}

// worthReason compares the worth of two regions in words.
func (q Question) worthReason(chosen, left region) string {
	has, lacks := int(chosen.worth/unit), int(left.worth/unit)
	switch {
	case q.divided():
		return fmt.Sprintf("%s has room for %s, %s for %d", chosen.name, phrase.Count(has, "replica"), left.name, lacks)
	case q.replicas() == 0:
		return fmt.Sprintf("%s has %s, %s has %d", chosen.name, phrase.Count(has, "cluster"), left.name, lacks)
	}
	return fmt.Sprintf("%s has %s with room for %s, %s has %d",
		chosen.name, phrase.Count(has, "cluster"), phrase.Count(int(q.replicas()), "replica"), left.name, lacks)
}

// listed returns up to three names for a sentence, with the verb.
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
