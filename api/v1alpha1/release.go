package v1alpha1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Release is the progress of one commit of a Federation. Its status is about exactly that commit, so a pipeline can wait for
// it: "kubectl wait release/prod-4f2c9e1a0b3c --for=condition=Ready". Its name is "<federation>-<first 12 of the commit>".
// The label "revision.accord.dev/<source>=<commit>" selects it.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=accord,shortName=rel
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.status.summary.display`,description="clusters that are healthy on the revision / clusters decided"
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Unreachable",type=integer,JSONPath=`.status.summary.unreachable`
// +kubebuilder:printcolumn:name="Approved-By",type=string,priority=1,JSONPath=`.status.approvedBy`
// +kubebuilder:printcolumn:name="Subject",type=string,JSONPath=`.spec.subject`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Release struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ReleaseSpec `json:"spec"`
	// +structType=atomic
	// +kubebuilder:default={"observedGeneration":-1,"message":"not delivered yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"not delivered yet"}}}
	Status ReleaseStatus `json:"status,omitempty"`
}

// ReleaseSpec identifies the commit and the plan made from it. Only the controller writes it.
type ReleaseSpec struct {
	// Federation that the Release belongs to, in the same namespace.
	Federation string `json:"federation"`
	// Revision is "main@sha1:<40 hex>", or "multi@sha256:<hex>" if there are several sources.
	Revision string `json:"revision"`
	// Sources with the revision of each.
	// +listType=map
	// +listMapKey=name
	Sources []SourceRevision `json:"sources"`
	// Author of the commit.
	Author string `json:"author,omitempty"`
	// Subject is the first line of the commit message.
	Subject string `json:"subject,omitempty"`
	// CommittedAt is the committer's time.
	CommittedAt *metav1.Time `json:"committedAt,omitempty"`
	// PlanDigest is the SHA-256 of the plan ("sha256:<hex>"); empty when the commit could not be planned. When the plan of the
	// same commit changes, because a cluster joined or a label changed, the generation rises.
	PlanDigest string `json:"planDigest,omitempty"`
}

// SourceRevision is the revision of one source.
type SourceRevision struct {
	// Name of the source.
	Name string `json:"name"`
	// Revision of the source, "main@sha1:<40 hex>".
	Revision string `json:"revision"`
	// Changed reports whether the commit is another one than in the revision that was active before. Only the trailers of changed
	// sources count.
	Changed bool `json:"changed,omitempty"`
}

// IsLive reports whether the source is a live cluster.
func (r *SourceRevision) IsLive() bool { return strings.HasPrefix(r.Revision, "cluster@sha256:") }

// ReleaseStatus is the progress of the commit.
type ReleaseStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Rendered, Scheduled, Applied, Healthy, Suspended, PruneAllowed, Approved, DryRunSucceeded,
	// Superseded.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// Summary counts the clusters by their state on the revision.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// Objects in the plan.
	Objects int32 `json:"objects,omitempty"`
	// NotReadyClusters are the clusters that are not healthy on this revision, at most ten, the worst state first.
	// +kubebuilder:validation:MaxItems=10
	NotReadyClusters []NotReadyCluster `json:"notReadyClusters,omitempty"`
	// Omitted counts the clusters that are not healthy and not in NotReadyClusters.
	Omitted int32 `json:"omitted,omitempty"`
	// WaitingFor is set while the Release is neither ready nor ended.
	WaitingFor *WaitingFor `json:"waitingFor,omitempty"`
	// Errors in the sources or the plan, "policies/web.yaml:14: ...", at most ten.
	// +kubebuilder:validation:MaxItems=10
	Errors []string `json:"errors,omitempty"`
	// ErrorsOmitted counts the errors that are not in Errors.
	ErrorsOmitted int32 `json:"errorsOmitted,omitempty"`
	// Warnings of the plan, for example fields without effect and policies that match nothing, at most ten.
	// +kubebuilder:validation:MaxItems=10
	Warnings []string `json:"warnings,omitempty"`
	// Rollouts, one entry per RolloutPolicy that claims objects, at most ten.
	// +kubebuilder:validation:MaxItems=10
	// +listType=map
	// +listMapKey=policy
	Rollouts []RolloutStatus `json:"rollouts,omitempty"`
	// RolloutsOmitted counts the rollouts that are not in Rollouts.
	RolloutsOmitted int32 `json:"rolloutsOmitted,omitempty"`
	// ApprovedBy is the name of the user who approved the plan by annotation, as the API server recorded it.
	ApprovedBy string `json:"approvedBy,omitempty"`
	// SupersededBy names the newer Release.
	SupersededBy string `json:"supersededBy,omitempty"`
}

// ReleaseList is a list of Releases.
//
// +kubebuilder:object:root=true
type ReleaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Release `json:"items"`
}
