package propagate

import (
	"reflect"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/previous"
)

// outcome has the answer of Previous, made once.
type outcome struct {
	once concurrent.Once
	list []*previous.Decision // parallel to the decisions
	// unsettled are the objects whose previous decision was another one, and counts for this one. The next plan decides about them again.
	unsettled map[manifest.ID]bool
}

// Previous returns the decisions for Input.Previous of the next plan, which makes that plan stable. An object that no
// cluster fits keeps its previous clusters, because its live objects are kept. The caller must not change the result: Next
// recognizes it.
func (p *Plan) Previous() []*previous.Decision {
	p.outcome.once.Do(func() {
		p.outcome.list, p.outcome.unsettled = make([]*previous.Decision, len(p.items.inGit)), map[manifest.ID]bool{}
		for i, it := range p.items.inGit {
			p.outcome.list[i] = p.settle(it, p.outcome.list[max(0, i-1)])
		}
	})
	return p.outcome.list
}

// settle returns the outcome of one object. Objects of one policy mostly have the same clusters: the list is in memory once if the
// decision beside it, nil for none, has it.
func (p *Plan) settle(it *item, beside *previous.Decision) *previous.Decision {
	now := it.outcome()
	now.ShareClusters(it.previous, beside)
	if it.previous != nil && reflect.DeepEqual(*it.previous, now) {
		return it.previous
	}
	if !p.ignoresPrevious(it) {
		p.outcome.unsettled[it.decision.ID] = true
	}
	return &now
}

// ignoresPrevious reports whether an object without a previous decision gets the same decision when this one is the previous one.
func (p *Plan) ignoresPrevious(it *item) bool {
	d := it.decision
	if it.previous != nil || d.ScopeUnknown || d.Unplaced() || d.Lazy || len(d.Evictions) > 0 || len(p.rules.rebalancers[d.ID]) > 0 {
		return false
	}
	return d.Policy == nil || d.Policy.Spec.ActivationPreference != policy.Lazy && place.IgnoresPrevious(d.Policy.Spec.Placement)
}

// outcome returns the decision for Input.Previous of the next plan.
func (it *item) outcome() previous.Decision {
	d := it.decision
	now := previous.Decision{
		ID: d.ID, Template: d.Template, Term: d.Term, Rebalanced: d.Rebalanced,
		Overwrite: d.Overwrite, Preserve: d.Preserve, Dependencies: d.Dependencies,
	}
	if d.Unplaced() {
		now.Term, now.Clusters, now.Descheduled = it.last().Term, it.last().Clusters, it.last().Descheduled
		return now
	}
	now.Clusters, now.Descheduled = d.OwnClusters(), d.Descheduled
	return now
}

// restorePrevious chooses the previous clusters that still exist; why is the reason for refusing the others.
func (p *Plan) restorePrevious(it *item, d *decision.Decision, why string, at manifest.Origin, reason place.Reason, hold func(previous.Cluster) string) {
	before := it.last()
	d.Chosen = nil
	for _, c := range before.Clusters {
		if _, there := p.members.Index[c.Name]; there {
			d.Chosen = append(d.Chosen, decision.Choice{Cluster: c.Name, Replicas: c.Replicas, Completions: c.Completions, Held: hold(c)})
		}
	}
	d.Refused = decision.RefuseRest(p.members.All, d.Chosen, d.Refused, why, at, reason)
	d.Term = before.Term
}
