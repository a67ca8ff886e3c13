package propagate

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/rebalance"
)

// place chooses clusters. It tries the terms of clusterAffinities in order, beginning with the term in use, until one
// yields a choice (Karmada §4.10).
//
// An object that is placed does not move because a cluster is not Ready: clusters without it may be what a spread constraint or a term
// needs. So automatic taints count only for a choice that would bring the object to a tainted cluster.
func (p *Plan) place(it *item) {
	d := it.decision
	before := it.last()
	try := attempt{ignoreHealth: true}
	d.Rebalanced, try.fresh = rebalance.Since(p.rules.rebalancers[d.ID], before.Rebalanced)
	terms := d.Policy.Spec.Placement.ClusterAffinities
	if !try.fresh {
		try.start = max(0, slices.IndexFunc(terms, func(t policy.ClusterAffinityTerm) bool { return t.AffinityName == before.Term }))
	}
	result, moved := p.tryTerms(it, try), false
	if p.repelled(it, result.chosen) {
		stays := result.chosen
		try.ignoreHealth = false
		result = p.tryTerms(it, try)
		moved = !try.fresh && result.chosen != nil && decision.Leaves(before, stays.chosen, result.chosen.chosen)
	}
	if len(terms) > 0 {
		for _, a := range result.failed {
			d.FailedTerms = append(d.FailedTerms, decision.FailedTerm{Term: terms[a.term].AffinityName, Why: a.failure, At: a.at})
		}
	}
	if result.chosen != nil && !moved {
		result.chosen.apply(d, terms)
		d.Descheduled, d.Moved = p.moves(it, try.fresh).Remember(d.OwnClusters, p.members.All)
		return
	}
	first := result.chosen // without a failure, which is that the object would move
	if len(result.failed) > 0 {
		first = result.failed[0]
	}
	d.Refused = first.refused
	evicted := decision.EvictedFrom(before.On(), first.refused)
	if first.noFit && !moved && len(evicted) == 0 {
		d.Why = fmt.Sprintf("no cluster fits the placement of %s (%s): %s; existing objects are kept", d.Policy.Title(), first.at, first.failure)
		return
	}
	failure, reason := first.failure, first.reason
	if failure == "" || moved {
		failure, reason = "a cluster of the choice is not Ready, and without it objects would move", place.Tainted
	}
	p.restorePrevious(it, d, failure, first.at, reason, func(c previous.Cluster) string { return d.Policy.SuspensionOn(c.Name) })
	left := "existing objects are kept"
	if d.PlacementRetained = len(d.Chosen) > 0; d.PlacementRetained {
		left = "the previous clusters are kept"
		if len(evicted) > 0 {
			left += ", although it is evicted from " + phrase.List(evicted, 3)
		}
	}
	d.Why = fmt.Sprintf("%s (%s): %s; %s", d.Policy.Title(), first.at, failure, left)
}

// termResults are the results of the terms of a placement: the one that was chosen, nil for none, and those before it.
type termResults struct {
	chosen *termResult
	failed []*termResult
}

// attempt has the conditions of one attempt to place an object.
type attempt struct {
	start        int  // the first term
	fresh        bool // as if the object were new
	ignoreHealth bool // the automatic taints of clusters do not count
	returning    bool // the clusters of completed evictions, and those that could not schedule replicas, are allowed
}

// tryTerms tries the terms until one yields a choice: first without the clusters that the object left because of
// an eviction or the descheduler, then with them.
func (p *Plan) tryTerms(it *item, try attempt) termResults {
	r := p.tryTermsOnce(it, try)
	if r.chosen == nil && (it.decision.Evictions.Completed() || len(it.last().Descheduled.From) > 0) {
		try.returning = true
		if again := p.tryTermsOnce(it, try); again.chosen != nil {
			return again
		}
	}
	return r
}

func (p *Plan) tryTermsOnce(it *item, try attempt) (r termResults) {
	for term := try.start; term < max(1, len(it.decision.Policy.Spec.Placement.ClusterAffinities)); term++ {
		a := p.tryTerm(it, term, try)
		if a.failure == "" {
			r.chosen = a
			return r
		}
		r.failed = append(r.failed, a)
	}
	return r
}

// beforeEvictions returns the previous decision of an object, without the moves of cancelled evictions.
func (p *Plan) beforeEvictions(it *item) *previous.Decision {
	d := it.decision
	if d.Policy == nil || !d.Evictions.Completed() {
		return it.previous
	}
	placement := d.Policy.Spec.Placement
	divided := placement.ReplicaScheduling != nil && placement.ReplicaScheduling.ReplicaSchedulingType == policy.Divided
	return d.Evictions.Restore(it.previous, divided, func(cluster string) (term string, ok bool) {
		i, known := p.members.Index[cluster]
		if !known {
			return "", false
		}
		return place.FirstTerm(placement, p.members.All[i])
	})
}

// repelled reports whether a choice, in which automatic taints did not count, has a cluster whose taint repels the object.
func (p *Plan) repelled(it *item, a *termResult) bool {
	if a == nil || !p.members.Unhealthy {
		return false
	}
	q := place.Question{Placement: it.decision.Policy.Spec.Placement, On: it.last().On()}
	return slices.ContainsFunc(a.chosen, func(c decision.Choice) bool { return q.Repelled(p.members.All[p.members.Index[c.Cluster]]) })
}
