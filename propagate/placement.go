package propagate

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
)

// termResult is the result of one term of a placement.
type termResult struct {
	term    int
	chosen  []decision.Choice
	refused []decision.Refusal
	// failure is the reason why nothing was chosen, at its place; empty when something was. noFit means that no cluster
	// fits.
	failure string
	at      manifest.Origin
	noFit   bool
	reason  place.Reason // of the failure
}

func (a *termResult) apply(d *decision.Decision, terms []policy.ClusterAffinityTerm) {
	d.Chosen, d.Refused = a.chosen, a.refused
	if len(terms) > 0 {
		d.Term = terms[a.term].AffinityName
	}
}

// tryTerm evaluates one term: filters, then spread constraints, then replicas.
func (p *Plan) tryTerm(it *item, term int, try attempt) *termResult {
	d := it.decision
	a := &termResult{term: term, at: d.Policy.At("spec.placement")}
	q := p.question(it, term, try)
	if !it.needsRoom && q.NeedsRoom() { // Shares may read it at the same time
		it.needsRoom = true
	}
	fit := p.filter(it, q, try, a)
	if len(fit) == 0 {
		a.noFit, a.failure = true, decision.NoFit(a.refused)
		return a
	}
	selection, err := q.Select(fit)
	if err != nil {
		p.fail(a, d, err)
		return a
	}
	for _, left := range selection.NotChosen {
		a.refused = append(a.refused, decision.Refusal{Cluster: left.Cluster, Why: left.Why, At: d.Policy.At("spec.placement." + left.Field), Reason: left.Reason})
	}
	if !q.Workload {
		a.chosen = make([]decision.Choice, 0, len(selection.Chosen))
		for _, c := range selection.Chosen {
			a.chosen = append(a.chosen, decision.Choice{Cluster: c.Cluster.Name, Held: d.Policy.SuspensionOn(c.Cluster.Name)})
		}
	} else if err := a.divide(it, p.request(it, q, selection.Chosen)); err != nil {
		p.fail(a, d, err)
		return a
	}
	slices.SortFunc(a.chosen, func(x, y decision.Choice) int { return strings.Compare(x.Cluster, y.Cluster) })
	slices.SortFunc(a.refused, func(x, y decision.Refusal) int { return strings.Compare(x.Cluster, y.Cluster) })
	if len(a.chosen) == 0 {
		a.noFit, a.failure = true, decision.NoFit(a.refused)
	}
	return a
}

// fail refuses all clusters that passed the filters for one reason.
func (p *Plan) fail(a *termResult, d *decision.Decision, err error) {
	if problem, ok := errors.AsType[*place.Problem](err); ok {
		a.at, a.reason = d.Policy.At("spec.placement."+problem.Field), problem.Reason
	}
	a.chosen, a.failure = nil, err.Error()
	a.refused = decision.RefuseRest(p.members.All, nil, a.refused, a.failure, a.at, a.reason)
}

// question returns everything that placing an object depends on.
func (p *Plan) question(it *item, term int, try attempt) place.Question {
	d := it.decision
	q := place.Question{
		Placement: d.Policy.Spec.Placement, Term: term, GVK: d.GVK, Fresh: try.fresh, IgnoreHealth: try.ignoreHealth,
		On: it.last().On(), Provided: p.relations.provided[d.ID.GroupKind()], Total: it.facts.replicas, Workload: it.facts.workload,
	}
	q.Evicted = d.Evictions.Refused(q.On, try.returning)
	q.Together, q.Apart = p.peers(it)
	return q
}

// filter returns the clusters that pass every filter and refuses the others.
func (p *Plan) filter(it *item, q place.Question, try attempt, a *termResult) []place.Candidate {
	d := it.decision
	replicas := it.last().Replicas()
	var requests corev1.ResourceList
	needsRoom, moves := q.NeedsRoom(), p.moves(it, q.Fresh)
	if needsRoom && it.kind.Requirements != nil {
		requests = it.kind.Requirements(it.manifest.Get())
	}
	fit := make([]place.Candidate, 0, min(len(p.members.All), 16))
	for i := range p.members.All {
		c := &p.members.All[i]
		if refusal := q.Refuses(*c); refusal != nil {
			a.refused = append(a.refused, d.Refuse(c.Name, refusal))
			continue
		}
		candidate := place.Candidate{Cluster: c, Chosen: q.On[c.Name], Before: replicas[c.Name], Tier: q.Tier(*c)}
		if needsRoom {
			candidate.Unschedulable, candidate.Failed = moves.Copies.On(c.Name, candidate.Before), moves.Failed(*c)
			if !candidate.Failed || try.returning {
				candidate.Room = divide.Room(*c, requests, q.Total)
			}
		}
		fit = append(fit, candidate)
	}
	return fit
}

// moves returns everything that the moves of unschedulable replicas depend on.
func (p *Plan) moves(it *item, fresh bool) deschedule.Object {
	return deschedule.Object{
		Copies: p.unschedulable.Of(it.decision.ID), Before: it.last(), Template: it.decision.Template, Fresh: fresh,
		Kind: &it.kind, Manifest: it.manifest,
	}
}

func (p *Plan) request(it *item, q place.Question, chosen []place.Candidate) divide.Request {
	return divide.Request{
		Total: q.Total, Scheduling: q.Placement.ReplicaScheduling, Candidates: chosen, Tiers: q.Tiers(),
		Seed: divide.Seed(it.decision.ID), Fresh: q.Fresh,
	}
}

// divide assigns replicas to each selected cluster.
func (a *termResult) divide(it *item, r divide.Request) error {
	shares, err := divide.Replicas(r)
	if err != nil {
		return err
	}
	d := it.decision
	counts := make([]int32, len(shares)) // one allocation: a plan can have a million counts
	a.chosen = make([]decision.Choice, 0, len(shares))
	completions := divide.Completions(d.ID.GroupKind(), it.manifest, r, shares)
	for i, share := range shares {
		cluster := r.Candidates[i].Cluster.Name
		if share.Refused != "" {
			a.refused = append(a.refused, decision.Refusal{Cluster: cluster, Why: share.Refused, At: d.Policy.At("spec.placement." + share.Field), Reason: share.Reason})
			continue
		}
		counts[i] = share.Replicas
		c := decision.Choice{Cluster: cluster, Replicas: &counts[i], Held: d.Policy.SuspensionOn(cluster)}
		if completions != nil {
			c.Completions = &completions[i]
		}
		a.chosen = append(a.chosen, c)
	}
	return nil
}
