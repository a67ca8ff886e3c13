// Package progress decides how far a commit got on the clusters, and waits until it is live.
package progress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/stage"
)

// MaxNotReady is the number of clusters that are listed, as in a Release.
const MaxNotReady = 10

// Unstarted is the reason why a commit has no Release, and gets none.
type Unstarted struct {
	// PassedBy is the commit of the hub that contains this one; empty if there is none.
	PassedBy string
	// Refused is the reason why accord does not start the commit.
	Refused Refusal
}

// Snapshot is the state of one commit at one moment, on all clusters or on some. ReleaseSnapshot and DeliverySnapshot compute it
// from objects of the hub; Judge evaluates it.
type Snapshot struct {
	// Commit is the commit that the snapshot is about.
	Commit string
	// HubRevisions are the revisions that the hub has read last, one for each source.
	HubRevisions []string
	Unstarted
	// Release is the name of the Release; empty until the controllers have seen the commit.
	Release string
	// Evaluated is false while the counts are those of an older plan.
	Evaluated bool
	// Ready: every decided cluster is healthy on the commit.
	Ready bool
	// Applied: every decided cluster has the commit, healthy or not.
	Applied bool
	// RestHealthy: every cluster that is neither held nor unreachable is healthy. RestApplied: every such cluster has the
	// commit.
	RestHealthy, RestApplied bool
	// Stalled is the error that no retry can fix; empty if there is none.
	Stalled string
	// Superseded is the name of the newer Release; empty if this one is current.
	Superseded string
	// AwaitingApproval is the message of a plan that awaits approval; empty if none does.
	AwaitingApproval string
	// Approve is the command that approves the stage that the rollout waits for; empty if it waits for none.
	Approve string
	// Suspended: the federation does not fetch its sources.
	Suspended bool
	// Summary counts clusters. Its total is the number of decided clusters.
	Summary v1alpha1.Summary
	// UnreachableSince is the time at which the last of the unreachable clusters was lost; zero if that is not known.
	UnreachableSince time.Time
	// Note is the most important reason why the commit is not done.
	Note string
	// NotReady are at most ten clusters that are not done, the worst first. Omitted counts the others.
	NotReady []v1alpha1.NotReadyCluster
	Omitted  int32
	// Invalid: mistakes in the manifests prevent a plan.
	Invalid bool
}

// ReleaseSnapshot returns the state of a commit on all clusters. A nil release has not been seen yet.
func ReleaseSnapshot(fed *v1alpha1.Federation, rel *v1alpha1.Release) Snapshot {
	if rel == nil {
		return unseenSnapshot(fed)
	}
	st := rel.Status
	known := func(kind string) *metav1.Condition { return Condition(st.Conditions, rel.Generation, kind) }
	ready, applied, t := known("Ready"), known(v1alpha1.Applied), st.Summary
	placed := !isFalse(known(v1alpha1.Scheduled))
	moving := known("Reconciling")
	s := Snapshot{
		Release:   rel.Name,
		Evaluated: st.ObservedGeneration == rel.Generation,
		Ready:     isTrue(ready),
		Applied:   placed && isTrue(applied) && t.Held == 0,
		RestHealthy: placed && ready != nil && ready.Reason != reasonProgressing && t.Total > 0 &&
			!(isTrue(moving) && moving.Reason == reasonProgressing) && // stages go on by themselves
			t.Healthy+t.Held+t.Unreachable == t.Total,
		RestApplied: placed && (isTrue(applied) || applied != nil && applied.Reason == reasonUnreachable),
		Suspended:   fed.Spec.Suspend,
		Summary:     t,
		Note:        releaseNote(rel),
		NotReady:    st.NotReadyClusters, Omitted: st.Omitted, Invalid: len(st.Errors) > 0,
	}
	if c := known("Stalled"); isTrue(c) && c.Reason != reasonSuperseded {
		s.Stalled = cmp.Or(text.First(st.Errors), c.Message, c.Reason)
	}
	if c := known(v1alpha1.Approved); isFalse(c) && (c.Reason == reasonApprovalRefused || !justApproved(rel)) {
		s.AwaitingApproval = c.Message
	} else if isFalse(c) { // it was approved a moment ago, and is only not active yet
		s.RestHealthy, s.RestApplied = false, false
	}
	if i := slices.IndexFunc(st.Rollouts, func(r v1alpha1.RolloutStatus) bool { return r.Phase == string(stage.WaitingForApproval) }); i >= 0 {
		s.Approve = ApproveCommand(&st.Rollouts[i])
	}
	if isSuperseded(rel) {
		s.Superseded = cmp.Or(st.SupersededBy, "a newer commit")
	}
	for _, w := range st.NotReadyClusters {
		if w.State == v1alpha1.Unreachable && w.Since != nil && w.Since.After(s.UnreachableSince) {
			s.UnreachableSince = w.Since.Time
		}
	}
	return s
}

// justApproved reports whether the annotations approve the plan of a release.
func justApproved(rel *v1alpha1.Release) bool {
	return rel.Annotations[v1alpha1.ApprovedByAnnotation] != "" && strings.Contains(rel.Annotations[v1alpha1.ApprovedPlanAnnotation], rel.Spec.PlanDigest)
}

// unseenSnapshot returns the state of a commit without a Release: the reason why the sources cannot be read, or the revision of
// the federation.
func unseenSnapshot(fed *v1alpha1.Federation) Snapshot {
	s := Snapshot{Suspended: fed.Spec.Suspend, Note: SourceError(fed)}
	if at := fed.Status.LastAttemptedRevision; s.Note == "" && at != "" {
		s.Note = "the hub is at " + text.ShortRevision(at)
	}
	return s
}

// SourceError returns the reason why the sources of the federation cannot be read, or why it does not start their newest revision; ""
// without any.
func SourceError(fed *v1alpha1.Federation) string {
	if c := Condition(fed.Status.Conditions, fed.Generation, "Ready"); isFalse(c) && slices.Contains(withoutRelease, c.Reason) {
		return c.Message
	}
	return ""
}

// isSuperseded reports whether a newer commit replaced the release. The condition counts for any generation: a Release never
// becomes current again.
func isSuperseded(rel *v1alpha1.Release) bool {
	return slices.ContainsFunc(rel.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1alpha1.Superseded && c.Status == "True"
	})
}

// releaseNote returns the first failure, else the event that the release waits for, else its first cluster that is not ready.
func releaseNote(rel *v1alpha1.Release) string {
	st := rel.Status
	for _, w := range st.NotReadyClusters {
		if w.State == v1alpha1.Failed {
			return notReadyNote(w)
		}
	}
	if w := st.WaitingFor; w != nil {
		return "waiting for " + text.Join(": ", w.Cluster, w.Message)
	}
	if len(st.NotReadyClusters) > 0 {
		return notReadyNote(st.NotReadyClusters[0])
	}
	if st.Summary.Total == 0 {
		return MessageOf(Condition(st.Conditions, rel.Generation, "Ready"))
	}
	return ""
}

// notReadyNote returns "eu-7 apps/Deployment shop/api: image not found".
func notReadyNote(w v1alpha1.NotReadyCluster) string {
	return text.Join(": ", text.Join(" ", w.Cluster, w.Object), cmp.Or(w.Message, string(w.State)))
}

// DeliverySnapshot returns the state of the named clusters only. A cluster counts if it has the revision of the release.
func DeliverySnapshot(fed *v1alpha1.Federation, rel *v1alpha1.Release, deliveries []v1alpha1.Delivery, clusters []string) Snapshot {
	whole := ReleaseSnapshot(fed, rel)
	if rel == nil {
		return whole
	}
	s := Snapshot{
		Release: whole.Release, Evaluated: true, Superseded: whole.Superseded, AwaitingApproval: whole.AwaitingApproval, Approve: whole.Approve, Suspended: whole.Suspended,
		Summary: v1alpha1.Summary{Total: int32(len(clusters))},
	}
	if isFalse(Condition(rel.Status.Conditions, rel.Generation, v1alpha1.Rendered)) {
		s.Stalled, s.Invalid = whole.Stalled, whole.Invalid // a mistake on another cluster would be no reason
	}
	for _, name := range clusters {
		i := slices.IndexFunc(deliveries, func(d v1alpha1.Delivery) bool {
			return d.Spec.Cluster == name && d.Spec.Federation == fed.Name
		})
		if i >= 0 {
			s.add(&deliveries[i], rel.Spec.Revision)
			continue
		}
		s.Summary.Progressing++
		s.Note = cmp.Or(s.Note, name+" has received nothing of this release")
		s.addNotReady(v1alpha1.NotReadyCluster{Cluster: name, State: v1alpha1.Progressing, Message: "has received nothing of this release"})
		if whole.Evaluated && (whole.Ready || whole.RestHealthy) {
			s.Stalled = cmp.Or(s.Stalled, "nothing of this release goes to "+name)
		}
	}
	t := s.Summary
	s.Ready, s.Applied = t.Healthy == t.Total, t.Applied == t.Total
	s.RestHealthy = t.Healthy+t.Held+t.Unreachable == t.Total
	s.RestApplied = t.Applied+t.Held+t.Unreachable == t.Total
	return s
}

// add counts one cluster.
func (s *Snapshot) add(d *v1alpha1.Delivery, revision string) {
	p := DeliveryState(d, revision)
	switch p.State {
	case v1alpha1.Healthy:
		s.Summary.Healthy++
	case v1alpha1.Held:
		s.Summary.Held++
	case v1alpha1.Unreachable:
		s.Summary.Unreachable++
		if since := p.Since; since != nil && since.After(s.UnreachableSince) {
			s.UnreachableSince = since.Time
		}
	case v1alpha1.Failed:
		s.Summary.Failed++
	default:
		s.Summary.Progressing++
	}
	if p.Applied {
		s.Summary.Applied++
	}
	if p.Stalled {
		s.Stalled = cmp.Or(s.Stalled, text.Join(" ", d.Spec.Cluster, p.Note))
	}
	if p.State != v1alpha1.Healthy {
		s.Note = cmp.Or(s.Note, text.Join(" ", d.Spec.Cluster, p.Note))
		s.addNotReady(notReadyCluster(d, p))
	}
}

// notReadyCluster returns the worst problem of a cluster that is not done.
func notReadyCluster(d *v1alpha1.Delivery, p ClusterState) v1alpha1.NotReadyCluster {
	w := v1alpha1.NotReadyCluster{Cluster: d.Spec.Cluster, State: p.State, Message: p.Note, Since: p.Since}
	if i := slices.IndexFunc(d.Status.Problems, func(o v1alpha1.ObjectProblem) bool { return NeedsAttention(o.State) }); i >= 0 && firstProblem(d) == p.Note {
		w.Object, w.Message = d.Status.Problems[i].Object, d.Status.Problems[i].Message
	}
	return w
}

// addNotReady lists a cluster, or counts it if the list is full.
func (s *Snapshot) addNotReady(w v1alpha1.NotReadyCluster) {
	if len(s.NotReady) == MaxNotReady {
		s.Omitted++
		return
	}
	s.NotReady = append(s.NotReady, w)
}

// Counts returns "applied 13/30  healthy 12/30  held 1  unreachable 2".
func (s Snapshot) Counts() string {
	t := s.Summary
	line := fmt.Sprintf("applied %d/%d  healthy %d/%d", t.Applied, t.Total, t.Healthy, t.Total)
	for _, c := range []struct {
		name  string
		count int32
	}{{"failed", t.Failed}, {"held", t.Held}, {"unreachable", t.Unreachable}} {
		if c.count > 0 {
			line += fmt.Sprintf("  %s %d/%d", c.name, c.count, t.Total)
		}
	}
	return line
}

func (s Snapshot) withNote(note string) Snapshot {
	s.Note = note
	return s
}
