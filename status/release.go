package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// maxList limits the errors or warnings that a Release lists.
const maxList = MaxWarnings

// MaxWarnings is the number of warnings that a Release lists at most.
const MaxWarnings = 10

// ReleaseInput is the state of one commit.
type ReleaseInput struct {
	// Objects in the plan.
	Objects int
	// Errors for which the commit could not be planned, "policies/web.yaml:14: ..."; then there is no plan, and the
	// clusters are unchanged.
	Errors []string
	// ErrorReason is the RejectionReason of the errors; empty is BuildFailed.
	ErrorReason string
	// Warnings are the first warnings of the plan, MaxWarnings if there are more; MoreWarnings counts the others.
	Warnings     []string
	MoreWarnings int
	// Unplaced are the objects that a policy claims and that fit no cluster, "apps/Deployment shop/web: reason".
	Unplaced []string
	// Retained are the objects that stay on their previous clusters because no new choice was possible, in the same
	// form.
	Retained []string
	// Deliveries has the state of every cluster in the plan.
	Deliveries []DeliveryState
	// Starting is set for the status that is written before the first write to any member: the reports of the clusters
	// do not concern this revision yet (rule 5).
	Starting bool
	// Suspended is set if the Federation is suspended: accord writes nothing.
	Suspended bool
	// PruneBlock is set if the prune limits stop the plan.
	PruneBlock *PruneBlock
	// Approval of the plan; nil when none is required.
	Approval *Approval
	// Preflight of the plan; nil when none is done.
	Preflight *Preflight
	// Rollouts of the RolloutPolicies that claim anything, sorted by name.
	Rollouts []v1alpha1.RolloutStatus
	// SupersededBy names the newer Release; empty for the newest.
	SupersededBy string
}

// Release returns the status of a Release. Once it is superseded, the clusters report about another commit: it keeps
// its last state, Ready=True if it was reached, and otherwise it is Stalled, because it can never become ready.
func Release(prev v1alpha1.ReleaseStatus, generation int64, in ReleaseInput, now time.Time) v1alpha1.ReleaseStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	if in.SupersededBy != "" {
		return superseded(prev, generation, in.SupersededBy, c)
	}
	if len(in.Errors) > 0 {
		in.Deliveries = nil // they are about the plan before
	}
	if in.Starting {
		in.Deliveries = withoutReports(in.Deliveries)
	}
	items := make([]item, 0, len(in.Deliveries))
	for _, l := range in.Deliveries {
		items = append(items, l.item())
	}
	t := count("clusters", items)
	in.conditions(c, t)
	v := in.verdict(t)
	next := v1alpha1.ReleaseStatus{
		ObservedGeneration: generation,
		Conditions:         c.summarize(v),
		Summary:            t.Summary,
		Objects:            int32(in.Objects),
	}
	next.Message, next.ApprovedBy = headline(next.Conditions), in.Approval.approver()
	next.Rollouts, next.RolloutsOmitted = in.rollouts()
	next.NotReadyClusters, next.Omitted = notReady(prev.NotReadyClusters, t, in.Deliveries, now)
	next.Errors, next.ErrorsOmitted = first(in.Errors, maxSentence*2)
	next.Warnings = firstOf(in.Warnings, maxSentence, in.MoreWarnings)
	if v.ready != metav1.ConditionTrue && (!v.stalled || v.reason == DeletionBlocked) {
		next.WaitingFor = in.waitingFor(prev.WaitingFor, next.NotReadyClusters, v, now)
	}
	return next
}

// withoutReports keeps the clusters and drops their reports, which concern the previous plan.
func withoutReports(legs []DeliveryState) []DeliveryState {
	next := make([]DeliveryState, 0, len(legs))
	for _, l := range legs {
		next = append(next, DeliveryState{Cluster: l.Cluster, State: v1alpha1.Progressing, Reason: Progressing, Message: "about to be delivered"})
	}
	return next
}

// verdict considers the commit first, then the plan, then the clusters.
func (in ReleaseInput) verdict(t tally) verdict {
	if len(in.Errors) > 0 {
		return terminal(in.errorReason(), "the commit cannot be delivered; the clusters keep their objects: "+strings.Join(in.Errors, "; "))
	}
	if in.PruneBlock.waits() {
		return terminal(PruneBlocked, in.PruneBlock.message())
	}
	if in.Approval.waits() {
		return waiting(Held, in.Approval.Message())
	}
	if in.Preflight.waits() {
		return in.Preflight.verdict(in.Suspended)
	}
	v, leading := t.verdict(), in.leading()
	switch {
	case v.stalled:
		v.reason = in.stalledReason()
		return v
	case leading != nil && leading.Terminal:
		return rolloutVerdict(leading)
	case in.Suspended && in.pending():
		return waiting(Suspended, "the federation is suspended; "+t.String())
	case in.Starting:
		return inProgress("about to be delivered to " + phrase.Count(int(t.Total), "cluster"))
	case leading != nil && t.Failed == 0:
		return rolloutVerdict(leading)
	case v.reconciling == ProgressingWithRetry && v.reason != ClustersUnreachable, v.reason == Progressing:
		return v
	case len(in.Unplaced) > 0:
		return retrying(NoClusterFits, fmt.Sprintf("%s; no cluster fits %s: %s", t.String(), phrase.Count(len(in.Unplaced), "object"), strings.Join(in.Unplaced, "; ")))
	case len(in.Retained) > 0:
		return retrying(Unschedulable, fmt.Sprintf("%s; no new choice could be made for %s, and the last one is kept: %s",
			t.String(), phrase.Count(len(in.Retained), "object"), strings.Join(in.Retained, "; ")))
	}
	return v
}

func (in ReleaseInput) errorReason() string { return cmp.Or(in.ErrorReason, BuildFailed) }

// stalledReason returns the reason of the first stalled cluster by name; Mutated only if every stalled cluster has it.
func (in ReleaseInput) stalledReason() string {
	reason, cluster := BuildFailed, ""
	for _, l := range in.Deliveries {
		if l.Stalled && (cluster == "" || reason == Mutated && l.Reason != Mutated || l.Cluster < cluster && (l.Reason != Mutated || reason == Mutated)) {
			reason, cluster = l.Reason, l.Cluster
		}
	}
	return reason
}

// pending reports whether accord would decide or write something if it were allowed.
func (in ReleaseInput) pending() bool {
	return len(in.Unplaced)+len(in.Retained) > 0 || slices.ContainsFunc(in.Deliveries, func(l DeliveryState) bool { return !l.Applied })
}

// conditions sets all conditions but the summary.
func (in ReleaseInput) conditions(c *conditions, t tally) {
	if in.Suspended {
		c.set(v1alpha1.Suspended, metav1.ConditionTrue, Suspended, "spec.suspend of the Federation is true")
	}
	if len(in.Errors) > 0 {
		c.set(v1alpha1.Rendered, metav1.ConditionFalse, in.errorReason(), strings.Join(in.Errors, "; "))
		for _, typ := range []string{v1alpha1.Scheduled, v1alpha1.Applied, v1alpha1.HealthyType} {
			c.set(typ, metav1.ConditionUnknown, in.errorReason(), "the commit could not be planned")
		}
		return
	}
	if t.terminal && in.stalledReason() == BuildFailed {
		c.set(v1alpha1.Rendered, metav1.ConditionFalse, BuildFailed, t.String())
	} else {
		c.set(v1alpha1.Rendered, metav1.ConditionTrue, Succeeded, phrase.Count(in.Objects, "object")+" in the plan")
	}
	switch {
	case len(in.Unplaced) > 0:
		c.set(v1alpha1.Scheduled, metav1.ConditionFalse, NoClusterFits, strings.Join(slices.Concat(in.Unplaced, in.Retained), "; "))
	case len(in.Retained) > 0:
		c.set(v1alpha1.Scheduled, metav1.ConditionFalse, Unschedulable, strings.Join(in.Retained, "; "))
	default:
		c.set(v1alpha1.Scheduled, metav1.ConditionTrue, Succeeded, phrase.Count(int(t.Total), "cluster")+" chosen")
	}
	t.running(c)
	in.mutationCondition(c)
	in.rolloutConditions(c, t)
	in.Approval.condition(c)
	in.Preflight.condition(c)
	if in.PruneBlock.waits() {
		in.PruneBlock.conditions(c)
		return
	}
	why := ""
	switch {
	case in.Approval.waits():
		why = "the plan is not approved"
	case in.Preflight.waits():
		why = "the plan has not passed its preflight"
	}
	if why != "" { // whatever runs, it was not decided by this plan
		for _, typ := range []string{v1alpha1.Applied, v1alpha1.HealthyType} {
			c.set(typ, metav1.ConditionUnknown, Held, why)
		}
		return
	}
	if t.terminal {
		c.set(v1alpha1.Applied, metav1.ConditionFalse, in.stalledReason(), fmt.Sprintf("%d of %s run what was decided", t.Summary.Applied, phrase.Count(int(t.Total), "cluster")))
	}
	if t.Total == 0 && len(in.Unplaced) == 0 { // nothing is decided, and nothing is missing
		for _, typ := range []string{v1alpha1.Applied, v1alpha1.HealthyType} {
			c.set(typ, metav1.ConditionTrue, Succeeded, "nothing is decided for any cluster")
		}
	}
}

// waitingFor names the cluster to look at first. The time stays while it is the same one.
func (in ReleaseInput) waitingFor(before *v1alpha1.WaitingFor, worst []v1alpha1.NotReadyCluster, v verdict, now time.Time) *v1alpha1.WaitingFor {
	w := &v1alpha1.WaitingFor{Message: shorten(v.message, maxSentence), Since: since(now)}
	switch {
	case in.Approval.waits():
		w.Message = "approval of the plan " + in.Approval.Digest
	case v.reason == Suspended:
		w.Message = "the federation to be resumed"
	case v.reason == NoClusterFits:
		w.Message = shorten("a cluster that fits "+in.Unplaced[0], maxSentence)
	case v.reason == Unschedulable:
		w.Message = shorten("clusters with room for "+in.Retained[0], maxSentence)
	case in.leading() != nil && waitsFor(in.leading()) != nil:
		return waitsFor(in.leading())
	case len(worst) > 0:
		w.Cluster, w.Since = worst[0].Cluster, worst[0].Since
		w.Message = shorten(strings.TrimPrefix(worst[0].Object+": ", ": ")+worst[0].Message, maxSentence)
		for _, l := range in.Deliveries {
			if l.Cluster == w.Cluster && l.Finalizer != "" {
				w.Object, w.Finalizer, w.Message = l.Object, l.Finalizer, shorten(l.Message, maxSentence)
			}
		}
		return w
	}
	if before != nil && before.Cluster == w.Cluster && before.Message == w.Message {
		w.Since = before.Since
	}
	return w
}

// notReady lists the clusters that are not healthy. A cluster in the same state as before keeps its time.
func notReady(before []v1alpha1.NotReadyCluster, t tally, legs []DeliveryState, now time.Time) ([]v1alpha1.NotReadyCluster, int32) {
	items, omitted := t.problems()
	var list []v1alpha1.NotReadyCluster
	for _, i := range items {
		w := v1alpha1.NotReadyCluster{Cluster: i.name, State: i.state, Since: since(i.since)}
		if at := slices.IndexFunc(legs, func(l DeliveryState) bool { return l.Cluster == i.name }); at >= 0 {
			w.Object, w.Message = legs[at].Object, shorten(legs[at].Message, maxSentence)
		}
		for _, old := range before {
			if w.Since == nil && old.Cluster == w.Cluster && old.State == w.State {
				w.Since = old.Since
			}
		}
		if w.Since == nil {
			w.Since = since(now)
		}
		list = append(list, w)
	}
	return list, omitted
}

// superseded keeps the last state if it concerns this plan.
func superseded(prev v1alpha1.ReleaseStatus, generation int64, by string, c *conditions) v1alpha1.ReleaseStatus {
	if prev.ObservedGeneration != generation {
		prev = countOnly(prev)
	}
	for _, old := range prev.Conditions {
		if old.Type != ready && old.Type != reconciling && old.Type != stalled && old.Type != v1alpha1.Suspended {
			c.keep(old.Type)
		}
	}
	c.set(v1alpha1.Superseded, metav1.ConditionTrue, Superseded, "overtaken by "+by)
	next := *prev.DeepCopy()
	next.ObservedGeneration, next.SupersededBy, next.WaitingFor = generation, by, nil
	next.Conditions = c.summarize(supersededVerdict(prev, generation, by))
	next.Message = headline(next.Conditions)
	return next
}

// countOnly keeps of a status of another plan only the number of clusters.
func countOnly(s v1alpha1.ReleaseStatus) v1alpha1.ReleaseStatus {
	items := make([]item, s.Summary.Total)
	for i := range items {
		items[i].state = v1alpha1.Progressing
	}
	return v1alpha1.ReleaseStatus{Summary: count("clusters", items).Summary, Objects: s.Objects}
}

// supersededVerdict keeps Ready=True and Stalled=True of the previous status.
func supersededVerdict(prev v1alpha1.ReleaseStatus, generation int64, by string) verdict {
	r := meta.FindStatusCondition(prev.Conditions, ready)
	switch {
	case r == nil:
		return terminal(Superseded, "overtaken by "+by+" before it was delivered")
	case r.Status == metav1.ConditionTrue && r.ObservedGeneration == generation:
		return succeeded(r.Message)
	case meta.IsStatusConditionTrue(prev.Conditions, stalled):
		return terminal(r.Reason, r.Message)
	}
	return terminal(Superseded, "overtaken by "+by+" before it was done: "+r.Message)
}

// first returns the first entries of a list, shortened, and the number of omitted ones.
func first(list []string, bytes int) ([]string, int32) {
	shown := min(len(list), maxList)
	var out []string
	for _, s := range list[:shown] {
		out = append(out, shorten(s, bytes))
	}
	return out, int32(len(list) - shown)
}

// firstOf is first for a field without a count of omitted entries: the last line has it.
func firstOf(list []string, bytes, more int) []string {
	if len(list)+more <= maxList {
		out, _ := first(list, bytes)
		return out
	}
	out, _ := first(list[:min(len(list), maxList-1)], bytes)
	return append(out, fmt.Sprintf("and %d more", len(list)+more-len(out)))
}
