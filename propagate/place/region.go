package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
)

// region has the candidates of one region.
type region struct {
	name     string
	clusters []Candidate // the most preferred first; never empty
	// worth ranks regions: a thousand for each cluster or replica that counts, and a share of the scores of the
	// clusters.
	worth int64
}

// byRegion chooses regions and the most preferred cluster of each, and then other clusters of those regions while the
// constraint by cluster allows more (Karmada §4.5, region algorithm). Each chosen region has a cluster even if that
// exceeds the constraint by cluster. The division checks whether the clusters have room for all replicas together.
func (q Question) byRegion(sorted []Candidate, limit, cluster constraint) (Selection, error) {
	regions := q.regions(sorted, limit, cluster)
	if len(regions) < limit.least {
		return Selection{}, limit.needs(fmt.Sprintf("%d fit", len(regions)))
	}
	chosen := combine(regions, limit, cluster.least)
	if chosen == nil {
		return Selection{}, tooFew(regions, limit, cluster)
	}
	if !q.Workload || !q.dynamic() {
		chosen = q.stableChoice(sorted, regions, chosen, limit, cluster)
	}
	s := q.within(chosen, cluster)
	for _, r := range regions {
		if !slices.ContainsFunc(chosen, r.same) {
			s.NotChosen = append(s.NotChosen, q.elsewhere(r, chosen, limit, cluster)...)
		}
	}
	return s, nil
}

func (r region) same(other region) bool { return r.name == other.name }

// stableChoice repeats the choice of regions until it would stay the same with the object in place. Karmada chooses again on
// every event (§4.11), and a region with the object on each of its clusters is worth a little more than before: it may
// then suffice without the others. So the first choice is already the final one.
func (q Question) stableChoice(sorted []Candidate, regions, chosen []region, limit, cluster constraint) []region {
	for range regions {
		there := q.afterPlacing(sorted, q.within(chosen, cluster).Chosen)
		slices.SortFunc(there, q.prefer)
		again := combine(q.regions(there, limit, cluster), limit, cluster.least)
		next := slices.DeleteFunc(slices.Clone(regions), func(r region) bool { return !slices.ContainsFunc(again, r.same) })
		slices.SortFunc(next, worthier)
		if slices.EqualFunc(next, chosen, region.same) {
			break
		}
		chosen = next
	}
	return chosen
}

// within takes the most preferred cluster of each region, and then the most preferred of the others.
func (q Question) within(regions []region, limit constraint) Selection {
	var s Selection
	var rest []Candidate
	for _, r := range regions {
		s.Chosen, rest = append(s.Chosen, r.clusters[0]), append(rest, r.clusters[1:]...)
	}
	slices.SortFunc(rest, q.prefer)
	fit, more := len(s.Chosen)+len(rest), min(len(rest), limit.most-len(s.Chosen))
	if more > 0 {
		s.Chosen = append(s.Chosen, rest[:more]...)
		s.NotChosen = q.tooMany(limit, fit, rest[more-1], rest[more:])
		return s
	}
	for _, r := range regions {
		s.NotChosen = append(s.NotChosen, q.others(r, limit, fit)...)
	}
	return s
}

// regions groups the candidates by region, sorted by name.
func (q Question) regions(sorted []Candidate, limit, cluster constraint) []region {
	in := map[string][]Candidate{}
	for _, c := range sorted {
		in[c.Cluster.Region] = append(in[c.Cluster.Region], c)
	}
	var all []region
	for _, name := range slices.Sorted(maps.Keys(in)) {
		r := region{name: name, clusters: in[name]}
		if q.divided() {
			r.worth = q.sharing(r.clusters, limit, cluster)
		} else {
			r.worth = q.copying(r.clusters)
		}
		all = append(all, r)
	}
	return all
}

// unit is the weight of one cluster, or one replica, relative to a score.
const unit = 1000

// copying returns the worth of a region where each cluster gets all replicas: the number of clusters with room for
// them.
func (q Question) copying(clusters []Candidate) int64 {
	var fit, scores int64
	for _, c := range clusters {
		if q.available(c) >= int64(q.replicas()) {
			fit++
			scores += c.score()
		}
	}
	if fit == 0 {
		return 0
	}
	return unit*fit + scores/fit
}

// sharing returns the worth of a region where clusters share the replicas: how many of its share fit.
func (q Question) sharing(clusters []Candidate, limit, cluster constraint) int64 {
	part := (int64(q.replicas()) + int64(limit.least) - 1) / int64(limit.least)
	var room, scores int64
	walked := 0
	for _, c := range clusters {
		room += q.available(c)
		scores += c.score()
		walked++
		if walked >= max(cluster.least, limit.least) && room >= part {
			break
		}
	}
	return unit*min(room, part) + scores/int64(walked)
}

// tooFew returns the problem of regions with too few clusters in every allowed combination.
func tooFew(regions []region, limit, cluster constraint) error {
	slices.SortFunc(regions, func(a, b region) int { return cmp.Compare(len(b.clusters), len(a.clusters)) })
	n := min(len(regions), limit.most)
	return cluster.needs(fmt.Sprintf("%s together have %d", phrase.Count(n, "region"), clustersOf(regions[:n])))
}

func clustersOf(regions []region) int {
	n := 0
	for _, r := range regions {
		n += len(r.clusters)
	}
	return n
}
