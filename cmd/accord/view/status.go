// Package view prints objects of the hub: the status of federations, the fleet, policies and the history of commits.
package view

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Status is the result of "accord status" for one federation.
type Status struct {
	// title is the name of the federation in text; empty means Federation.
	title       string
	Federation  string       `json:"federation"`
	Namespace   string       `json:"namespace"`
	Verdict     string       `json:"verdict"`
	Message     string       `json:"message,omitempty"`
	Revision    string       `json:"revision,omitempty"`
	Release     string       `json:"release,omitempty"`
	Author      string       `json:"author,omitempty"`
	Subject     string       `json:"subject,omitempty"`
	CommittedAt *metav1.Time `json:"committedAt,omitempty"`
	// Summary counts clusters. Its total is the number of decided clusters.
	Summary  v1alpha1.Summary `json:"summary"`
	Clusters []ClusterStatus  `json:"clusters"`
	Errors   []string         `json:"errors,omitempty"`
	Findings []string         `json:"warnings,omitempty"`
	// Rollouts are the staged rollouts of the newest commit.
	Rollouts        []v1alpha1.RolloutStatus `json:"rollouts,omitempty"`
	RolloutsOmitted int32                    `json:"rolloutsOmitted,omitempty"`
	// ErrorsOmitted counts errors that the Release does not list.
	ErrorsOmitted int32 `json:"errorsOmitted,omitempty"`
	// Left are clusters that were removed from the fleet and keep delivered objects; LeftOmitted counts older ones.
	Left        []v1alpha1.RemovedCluster `json:"removedClusters,omitempty"`
	LeftOmitted int32                     `json:"removedClustersOmitted,omitempty"`
}

// DocumentKind implements text.Document.
func (Status) DocumentKind() string { return "FederationStatus" }

// ClusterStatus is one row of the table.
type ClusterStatus struct {
	Cluster string         `json:"cluster"`
	State   v1alpha1.State `json:"state"`
	// Revision is the last one that was applied completely.
	Revision string `json:"revision,omitempty"`
	// Current reports whether Revision is the revision of the report.
	Current bool                     `json:"current"`
	Objects v1alpha1.Summary         `json:"objects"`
	Since   *metav1.Time             `json:"since,omitempty"`
	Heard   *metav1.Time             `json:"lastProbeTime,omitempty"`
	Note    string                   `json:"note,omitempty"`
	Orphans int                      `json:"orphaned,omitempty"`
	Trouble []v1alpha1.ObjectProblem `json:"problems,omitempty"`
	// Mutated are the applied fields that have other values on the cluster.
	Mutated []v1alpha1.MutatedField `json:"mutatedFields,omitempty"`
	// TroubleOmitted counts problems that the Delivery does not list.
	TroubleOmitted int32 `json:"problemsOmitted,omitempty"`
}

// The verdicts of the first line.
const (
	verdictReady       = "READY"
	verdictRolling     = "ROLLING OUT"
	verdictFailing     = "FAILING"
	VerdictFailed      = "FAILED"
	verdictHeld        = "HELD"
	verdictUnreachable = "UNREACHABLE"
	verdictSuspended   = "SUSPENDED"
	verdictUnknown     = "NOT SEEN YET"
)

// NewStatus computes the status. A nil release means that no commit was read yet.
func NewStatus(fed *v1alpha1.Federation, rel *v1alpha1.Release, deliveries []v1alpha1.Delivery) Status {
	s := progress.ReleaseSnapshot(fed, rel)
	r := Status{
		Federation: fed.Name, Namespace: fed.Namespace, Release: s.Release, Summary: s.Summary, Clusters: []ClusterStatus{},
		Verdict: verdictOf(s), Message: s.Note, Left: fed.Status.RemovedClusters, LeftOmitted: fed.Status.RemovedClustersOmitted,
	}
	if why := progress.SourceError(fed); why != "" {
		r.Message = why // an older revision may be fine; it is only not the newest
	}
	if rel != nil {
		r.Revision, r.Author, r.Subject, r.CommittedAt = rel.Spec.Revision, rel.Spec.Author, rel.Spec.Subject, rel.Spec.CommittedAt
		r.Errors, r.Findings, r.ErrorsOmitted = rel.Status.Errors, rel.Status.Warnings, rel.Status.ErrorsOmitted
		r.Rollouts, r.RolloutsOmitted = rel.Status.Rollouts, rel.Status.RolloutsOmitted
		if word := stageVerdict(r.Rollouts); word != "" && len(r.Errors) == 0 && !s.Suspended {
			r.Verdict = word
		}
	}
	for i := range deliveries {
		r.Clusters = append(r.Clusters, NewClusterStatus(&deliveries[i], r.Revision))
	}
	r.followRelease(rel, deliveries)
	slices.SortFunc(r.Clusters, func(a, b ClusterStatus) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return r
}

// followRelease has the rows show the states that the Release counts, so that headline and rows are one snapshot: the
// Release and the Deliveries are written one after the other. Rows about another revision stay as they are.
func (r *Status) followRelease(rel *v1alpha1.Release, deliveries []v1alpha1.Delivery) {
	if rel == nil || rel.Status.ObservedGeneration != rel.Generation {
		return
	}
	same := 0
	for i := range deliveries {
		if deliveries[i].Spec.Revision == rel.Spec.Revision {
			same++
		}
	}
	total := rel.Status.Summary
	complete := same == int(total.Total) && len(rel.Status.NotReadyClusters) == int(total.Total-total.Healthy)
	for i := range deliveries {
		if deliveries[i].Spec.Revision == rel.Spec.Revision {
			r.Clusters[i].follow(rel.Status.NotReadyClusters, complete)
		}
	}
}

// follow takes over the state of a cluster from the list of a Release. complete is set if all other clusters are healthy.
func (c *ClusterStatus) follow(list []v1alpha1.NotReadyCluster, complete bool) {
	at := slices.IndexFunc(list, func(n v1alpha1.NotReadyCluster) bool { return n.Cluster == c.Cluster })
	switch {
	case at >= 0 && list[at].State != c.State:
		c.State, c.Since, c.Note = list[at].State, list[at].Since, text.Join(": ", list[at].Object, list[at].Message)
	case at < 0 && complete && c.State != v1alpha1.Healthy:
		c.State, c.Since, c.Note = v1alpha1.Healthy, nil, ""
		c.Objects.Healthy, c.Trouble, c.TroubleOmitted = c.Objects.Total, nil, 0
	}
}

// verdictOf returns the verdict on the newest commit. It has no grace period: unreachable clusters count at once.
func verdictOf(s progress.Snapshot) string {
	v := progress.Judge(s, progress.Goal{Grace: -time.Hour}, time.Now())
	switch {
	case v.Result == progress.Failed:
		return VerdictFailed
	case s.Suspended:
		return verdictSuspended
	case v.Result == progress.Done:
		return verdictReady
	case v.Result == progress.Held:
		return verdictHeld
	case v.Result == progress.Unreachable:
		return verdictUnreachable
	case s.Release == "":
		return verdictUnknown
	case s.Summary.Failed > 0:
		return verdictFailing
	}
	return verdictRolling
}

// NewClusterStatus computes the row of one Delivery, for the commit that the cluster has.
func NewClusterStatus(d *v1alpha1.Delivery, revision string) ClusterStatus {
	p, st := progress.DeliveryState(d, ""), d.Status
	if d.Spec.Revision != revision { // the newest commit has not got this far, or cannot
		p.Note = text.Join("; ", "is given "+text.ShortRevision(d.Spec.Revision), p.Note)
	}
	on := st.LastAppliedRevision
	if kept := keptRevision(st.Rollouts); kept != "" {
		on = kept
	} else if st.Summary.Held > 0 && st.Summary.Applied < st.Summary.Total {
		on = st.LastHealthyRevision // only objects that are not held have the applied revision
	}
	return ClusterStatus{
		Cluster: d.Spec.Cluster, State: p.State, Since: p.Since, Note: p.Note, Heard: st.LastProbeTime,
		Revision: on, Current: on != "" && on == revision,
		Objects: st.Summary, Orphans: len(st.Orphaned), Trouble: st.Problems, TroubleOmitted: st.Omitted, Mutated: st.MutatedFields,
	}
}

// keptRevision returns the revision of the version that a cluster keeps while a stage or a rollback holds the newest one; empty
// if none does.
func keptRevision(rollouts []v1alpha1.DeliveryRollout) string {
	for _, r := range rollouts {
		if r.Held || r.RollbackTo != nil {
			return r.Current.Revision
		}
	}
	return ""
}
