package reconciler

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status"
)

// proposal is a plan that is not in force yet, with all that is done when it comes into force. While it waits for approval
// it is kept: what was approved is what is delivered, and not what would be decided later.
type proposal struct {
	// basis that the plan was made from, and seen as it is as long as the Clusters of the commit are not declared.
	basis, seen basis
	release     *v1alpha1.Release
	plan        *propagate.Plan
	findings    []propagate.Finding // worst first
	objects     []render.Object
	declared    []v1alpha1.Cluster
	taints      map[string][]corev1.Taint
	// approves are the digests that the commit itself approves.
	approves []string
}

// mistake is an error that trying again does not help: the next commit does.
type mistake struct{ error }

// propose makes the plan of a checkout. Where plans need approval, nothing is written for it: the Clusters that the commit
// declares are as the hub says that they would be.
func (s *syncer) propose(ctx context.Context, f *federation, fed *v1alpha1.Federation, c checkout, present []v1alpha1.Cluster) (*proposal, error) {
	parts, err := c.parts(&f.builds)
	if err != nil {
		return nil, mistake{err}
	}
	members, err := s.declare(ctx, fed, parts.Clusters, present, fed.Spec.RequireApproval)
	if mistaken(err) {
		return nil, mistake{err}
	} else if err != nil {
		return nil, err
	}
	s.engine.recollect(ctx, f, members)
	previous := f.previous()
	d, err := s.engine.decide(ctx, f.inForce(), members, func(members []v1alpha1.Cluster) propagate.Input {
		return c.input(fed, parts, members, previous)
	})
	if err != nil {
		return nil, mistake{err}
	}
	p := &proposal{
		basis: basisOf(fed, c, d.members, d.sight()), seen: basisOf(fed, c, s.engine.inform(present), d.sight()),
		release: c.release(fed), plan: d.plan, findings: worstFirst(check.Run(d.input, d.plan, check.Deciding()...)),
		objects: parts.Objects, declared: parts.Clusters, taints: d.taints(), approves: c.approves(),
	}
	if missing(parts.Clusters, members) {
		p.basis.fleet, p.seen.fleet = "", "" // it is looked at again until they are there
	}
	return p, nil
}

// enforce puts a proposal in force.
func (s *syncer) enforce(ctx context.Context, f *federation, fed *v1alpha1.Federation, p *proposal, a *status.Approval) error {
	if fed.Spec.RequireApproval {
		present, err := s.fleet(ctx)
		if err != nil {
			return err
		}
		if _, err := s.declare(ctx, fed, p.declared, present, false); err != nil {
			return err
		}
	}
	if err := s.putFinalizers(ctx, f, p.plan); err != nil {
		return err
	}
	s.taint(p.taints)
	f.keep(p.objects)
	f.review(p.findings)
	f.approved(a)
	return s.engine.enforce(ctx, f, p.basis, p.release.DeepCopy(), p.plan)
}

// hold keeps a proposal until somebody approves it. The plan in force stays in force, and what runs stays as it is; the
// Release says what waits, and how to approve it.
func (e *engine) hold(ctx context.Context, f *federation, p *proposal, a *status.Approval) error {
	f.mu.Lock()
	f.basis, f.unread, f.refused = basis{}, "", nil
	f.proposed, f.approval = p, a
	f.evaluate(p.basis.generation)
	f.succeed(p.release.DeepCopy())
	f.release.Spec.PlanDigest = p.plan.Digest()
	release, before := f.release.DeepCopy(), f.release.Status
	f.mu.Unlock()
	if err := e.putRelease(ctx, f, release); err != nil {
		return err
	}
	f.mu.Lock()
	f.basis, f.decided = p.seen, time.Now() // only now: a Release that could not be written is tried again
	f.mu.Unlock()
	e.tellHeld(f, release, before)
	e.tellRefusedPlan(f, release, before)
	return errors.Join(e.reporter.writeRelease(ctx, f), e.supersede(ctx, f))
}

// tellHeld tells that a plan waits for approval, and how to approve it, once for every plan of a Release. before is the
// status that the Release had until now.
func (e *engine) tellHeld(f *federation, r *v1alpha1.Release, before v1alpha1.ReleaseStatus) {
	f.mu.Lock()
	now := meta.FindStatusCondition(f.release.Status.Conditions, v1alpha1.Approved)
	f.mu.Unlock()
	then := meta.FindStatusCondition(before.Conditions, v1alpha1.Approved)
	if now == nil || now.Status == metav1.ConditionTrue || then != nil && then.Status == now.Status && then.Message == now.Message {
		return
	}
	e.event(r, normal, now.Reason, now.Message)
}

// awaits is the plan that waits for approval; nil when there is none, or the Federation was changed since it was made.
func (f *federation) awaits(generation int64) *proposal {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.proposed == nil || f.proposed.basis.generation != generation {
		return nil
	}
	return f.proposed
}

// approved notes what approved the plan that comes into force; nil when none was needed.
func (f *federation) approved(a *status.Approval) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.approval = a
}

// proposedLegs are the clusters that a plan is for that waits for approval. Where it would change nothing, a cluster is
// what it is; any other is held. As long as no plan is in force, nothing is known of any. The caller holds f.mu.
func (f *federation) proposedLegs(plan *propagate.Plan) []status.DeliveryState {
	var legs []status.DeliveryState
	for _, c := range plan.Clusters() {
		switch l := f.legs[c]; {
		case f.untouched(c, plan):
		case f.announced && f.alike(c, plan):
			legs = append(legs, status.NewDeliveryState(c, l.generation(), l.delivery.Status))
		default:
			legs = append(legs, f.heldLeg(c))
		}
	}
	return legs
}

// changesNothing says that a plan has every cluster keep exactly what was decided for it last. After a restart that stands
// in the ledger.
func (f *federation) changesNothing(plan *propagate.Plan) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan != nil && f.plan.Digest() == plan.Digest() {
		return true
	}
	for _, c := range plan.Clusters() {
		if !f.untouched(c, plan) && !f.alike(c, plan) {
			return false
		}
	}
	return true
}

// untouched says that a cluster has nothing of the federation, and gets nothing. The caller holds f.mu.
func (f *federation) untouched(cluster string, plan *propagate.Plan) bool {
	target, l := plan.ForCluster(cluster), f.legs[cluster]
	return len(target.Objects)+len(target.Failed) == 0 && (l == nil || l.idle())
}

// alike says that a plan decides the same for a cluster as was decided last. The caller holds f.mu.
func (f *federation) alike(cluster string, plan *propagate.Plan) bool {
	l := f.legs[cluster]
	return l != nil && l.delivery.Spec.Digest == f.fingerprints.Cluster(plan, cluster)
}
