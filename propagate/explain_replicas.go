package propagate

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/rebalance"
)

// Shares explains for each cluster of a divided object how its replicas came about, in a few words that follow the
// number; nil for an object without a count, or that no policy claims. It repeats the decision.
func (p *Plan) Shares(id manifest.ID) map[string]string {
	it, known := p.items.get(id)
	if !known || it.decision.Policy == nil || it.kind.Replicas == nil {
		return nil
	}
	d, shares := it.decision, map[string]string{}
	if d.PlacementRetained || d.Lazy {
		for _, c := range d.Chosen {
			shares[c.Cluster] = "kept from the previous plan"
		}
		return shares
	}
	_, fresh := rebalance.Since(p.rules.rebalancers[id], it.last().Rebalanced)
	term := max(0, slices.IndexFunc(d.Policy.Spec.Placement.ClusterAffinities, func(t policy.ClusterAffinityTerm) bool { return t.AffinityName == d.Term }))
	try := attempt{fresh: fresh}
	try.returning = p.tryTerm(it, term, try).failure != ""
	q := p.question(it, term, try)
	selection, err := q.Select(p.filter(it, q, try, &termResult{}))
	if err != nil {
		return nil
	}
	for i, phrase := range divide.Explain(p.request(it, q, selection.Chosen)) {
		shares[selection.Chosen[i].Cluster.Name] = phrase
	}
	return shares
}
