package reconciler

import (
	"context"
	"errors"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// preflightSilence is how long a preflight may take before the hub is told that it is under way.
const preflightSilence = 2 * time.Second

// preflights is what a federation remembers of trying plans before they come into force.
type preflights struct {
	// told is what the newest Release says of it, about the plan with this digest; nil where none is done.
	told   *status.Preflight
	digest string
	// refused is what the last one found, and failures how many in a row were refused; the next one is due then, or when
	// somebody asks for a look.
	refused  map[string]map[manifest.ID]bool
	failures int
	due      time.Time
	asked    string // the annotation that asked for a look, as it was then
	// waited are the clusters that were waited for once, because nothing was known of them yet.
	waited map[string]bool
}

// preflighted says that a Federation has its plans tried.
func preflighted(fed *v1alpha1.Federation) bool {
	return fed.Spec.Preflight == nil || *fed.Spec.Preflight
}

// admit puts a proposal in force, unless it is to be tried and a cluster refuses something of it. Then it is kept, as one
// that waits for approval, and tried again later.
func (s *syncer) admit(ctx context.Context, f *federation, fed *v1alpha1.Federation, p *proposal, a *status.Approval) error {
	p.plan.Digest() // renders everything, before anybody has to wait for it
	passed := f.needless(fed, p)
	if preflighted(fed) && passed == nil {
		found, err := s.try(ctx, f, p, a)
		if err != nil || !s.current(ctx, fed) {
			return err
		}
		if len(found.refused()) > 0 {
			f.postpone(found, requestedAt(fed))
			return s.engine.withhold(ctx, f, p, a, &status.Preflight{Refused: found.refused()})
		}
		passed = &status.Preflight{Passed: found.String()}
	}
	f.passed(p, passed)
	return s.enforce(ctx, f, fed, p, a)
}

// try is a preflight of which the hub is told when it takes long. After a refusal it begins with what was refused, and
// asks for the rest when nothing of that is refused any more.
func (s *syncer) try(ctx context.Context, f *federation, p *proposal, a *status.Approval) (*findings, error) {
	done := make(chan *findings, 1)
	go func() {
		found := s.engine.preflight(ctx, f, p.plan, f.refusedLast(p))
		if found.partial && len(found.refused()) == 0 {
			found = s.engine.preflight(ctx, f, p.plan, nil)
		}
		done <- found
	}()
	var err error
	silence := time.NewTimer(preflightSilence)
	defer silence.Stop()
	select {
	case found := <-done:
		return found, ctx.Err()
	case <-silence.C:
		if f.refusedLast(p) == nil { // else it goes on saying what was refused
			err = s.engine.withhold(ctx, f, p, a, &status.Preflight{})
		}
	}
	return <-done, errors.Join(err, ctx.Err())
}

// current says that a Federation is still as it was when the preflight began: it may have been suspended meanwhile.
func (s *syncer) current(ctx context.Context, fed *v1alpha1.Federation) bool {
	now := &v1alpha1.Federation{}
	err := s.Get(ctx, client.ObjectKeyFromObject(fed), now)
	return err == nil && now.UID == fed.UID && now.Generation == fed.Generation && now.DeletionTimestamp == nil
}

// needless says why nothing of a proposal has to be tried: it passed before, which a restart reads in the ledger, or it
// changes nothing. Nil when it has to be.
func (f *federation) needless(fed *v1alpha1.Federation, p *proposal) *status.Preflight {
	if !preflighted(fed) {
		return nil
	}
	if told := f.passedBefore(p); told != nil {
		return told
	}
	if f.changesNothing(p.plan) {
		return &status.Preflight{Passed: "nothing changes on any cluster"}
	}
	return nil
}

// passedBefore is what is known of the plan, if that is that it passed; after a restart the ledger knows.
func (f *federation) passedBefore(p *proposal) *status.Preflight {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := &f.preflights
	if n.digest == p.plan.Digest() && n.told != nil && n.told.Passed != "" && f.release != nil && f.release.Name == p.release.Name {
		return n.told
	}
	for _, r := range append([]*v1alpha1.Release{f.release}, pointers(f.releases)...) {
		if r == nil || r.Name != p.release.Name {
			continue
		}
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.DryRunSucceeded)
		if c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == r.Generation &&
			r.Spec.PlanDigest == p.plan.Digest() && r.Status.SupersededBy == "" {
			return &status.Preflight{Passed: c.Message}
		}
	}
	return nil
}

func pointers(releases []v1alpha1.Release) []*v1alpha1.Release {
	var all []*v1alpha1.Release
	for i := range releases {
		all = append(all, &releases[i])
	}
	return all
}

// unapproved notes that nothing is tried, because nobody approved it.
func (f *federation) unapproved() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.preflights = preflights{waited: f.preflights.waited}
}

// passed notes that a proposal comes into force.
func (f *federation) passed(p *proposal, told *status.Preflight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.preflights = preflights{told: told, digest: p.plan.Digest(), waited: f.preflights.waited}
}

// postpone notes what was refused, and when that is asked again: after a while that doubles each time.
func (f *federation) postpone(found *findings, asked string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := &f.preflights
	if n.digest != found.digest {
		n.failures = 0
	}
	n.digest, n.refused, n.asked = found.digest, found.byCluster(), asked
	n.due = time.Now().Add(min(firstTrial<<min(n.failures, 16), lastRetry))
	n.failures++
}

// refusedLast is what was refused of the same plan the last time; nil when it was not tried before.
func (f *federation) refusedLast(p *proposal) map[string]map[manifest.ID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.preflights.digest != p.plan.Digest() {
		return nil
	}
	return f.preflights.refused
}

// firstTrial is how soon a refused plan is tried again the first time; lastRetry bounds how late.
const firstTrial = 2 * time.Second

// due says that a proposal that was refused is to be tried now.
func (f *federation) due(fed *v1alpha1.Federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := &f.preflights
	return n.refused == nil || !time.Now().Before(n.due) || n.asked != requestedAt(fed)
}

// again is how soon a federation has to be looked at because of a plan that was refused; zero when there is none.
func (f *federation) again() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.proposed == nil || f.preflights.refused == nil {
		return 0
	}
	return max(time.Until(f.preflights.due), firstTrial) // also if that is over, and something keeps it from being tried
}

// withhold is hold for a proposal that is approved, or needs no approval, and did not pass its preflight.
func (e *engine) withhold(ctx context.Context, f *federation, p *proposal, a *status.Approval, told *status.Preflight) error {
	withheld := *p
	if a == nil { // its Clusters were declared
		withheld.seen = p.basis
	}
	f.mu.Lock()
	f.preflights.told = told
	f.mu.Unlock()
	return e.hold(ctx, f, &withheld, a)
}

// tellRefusedPlan tells that a cluster refuses a plan, once for every message of a Release.
func (e *engine) tellRefusedPlan(f *federation, r *v1alpha1.Release, before v1alpha1.ReleaseStatus) {
	f.mu.Lock()
	now := apimeta.FindStatusCondition(f.release.Status.Conditions, v1alpha1.DryRunSucceeded)
	f.mu.Unlock()
	then := apimeta.FindStatusCondition(before.Conditions, v1alpha1.DryRunSucceeded)
	if now == nil || now.Status != metav1.ConditionFalse || then != nil && then.Status == now.Status && then.Message == now.Message {
		return
	}
	e.event(r, warning, status.PreflightFailed, now.Message)
}

// withheld says that a Release was told not to be delivered as it was: it begins anew when it is.
func withheld(r *v1alpha1.Release) bool {
	c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.DryRunSucceeded)
	return apimeta.IsStatusConditionFalse(r.Status.Conditions, v1alpha1.Approved) || c != nil && c.Status != metav1.ConditionTrue
}

// heldLeg is what is told of a cluster that a proposal would change. The caller holds f.mu.
func (f *federation) heldLeg(cluster string) status.DeliveryState {
	if told := f.preflights.told; told != nil {
		return told.DeliveryState(cluster)
	}
	return status.DeliveryState{Cluster: cluster, State: v1alpha1.Held, Reason: status.Held, Message: "the plan is not approved"}
}
