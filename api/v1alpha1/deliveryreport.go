package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DeliveryReport is the state of one cluster as reported by the replica that owns it, for the leading replica, which computes
// every status. A Delivery has a report of the same name when its cluster is owned by another replica than the leader. The
// report is ignored once another replica owns the cluster.
//
// The status is a plain field and not a subresource: a replica creates the report and changes it with one JSON patch. With a
// subresource each new report would take a second request.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=dlvr
// +kubebuilder:printcolumn:name="Federation",type=string,JSONPath=`.spec.federation`
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.cluster`
// +kubebuilder:printcolumn:name="Replica",type=string,JSONPath=`.status.replica`
// +kubebuilder:printcolumn:name="Finished",type=boolean,JSONPath=`.status.applyResult.finished`
// +kubebuilder:printcolumn:name="Unreachable",type=string,JSONPath=`.status.connectivity.unreachable`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type DeliveryReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DeliveryReportSpec `json:"spec"`
	// Status has the result and the objects. It is atomic, or the hub would list the owner of each field, and compare each, at every write.
	// +structType=atomic
	Status DeliveryReportStatus `json:"status"`
}

// DeliveryReportSpec identifies the Delivery that the report belongs to.
type DeliveryReportSpec struct {
	// Federation of the Delivery.
	Federation string `json:"federation"`
	// Cluster of the Delivery.
	Cluster string `json:"cluster"`
}

// DeliveryReportStatus is the result of the last delivery and the state of the cluster. Only the replica that owns the
// cluster writes it.
type DeliveryReportStatus struct {
	// Replica that wrote the report.
	Replica string `json:"replica"`
	// ObservedDelivery identifies the version of the Delivery that ApplyResult and Synced refer to; empty until the replica
	// has read the Delivery.
	ObservedDelivery string `json:"observedDelivery,omitempty"`
	// Connectivity reports whether the cluster is reachable.
	Connectivity Connectivity `json:"connectivity"`
	// ApplyResult is the result of delivering ObservedDelivery.
	ApplyResult ApplyResult `json:"applyResult"`
	// Synced reports whether Objects is complete: every object of the kinds that are wanted or were delivered was listed.
	Synced bool `json:"synced,omitempty"`
	// Objects are the live objects, by "<namespace>_<name>_<group>_<kind>".
	Objects map[string]ReportedObject `json:"objects"`
	// DiscoveredObjects carry accord's marks for the federation, but no record on the hub lists them. Nothing is delivered to
	// the cluster before a plan includes them.
	DiscoveredObjects []DiscoveredObject `json:"discoveredObjects,omitempty"`
}

// Connectivity reports whether a cluster is reachable.
type Connectivity struct {
	// Unreachable is the error with which the cluster cannot be reached; empty when the cluster is reachable.
	Unreachable string `json:"unreachable,omitempty"`
	// Reason is Unreachable in one word.
	Reason string `json:"reason,omitempty"`
	// LastProbeTime is the time at which the cluster last answered.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
	// OpenSince is the time at which the circuit breaker opened; absent when it is closed.
	OpenSince *metav1.Time `json:"openSince,omitempty"`
	// Retry is the interval between two probes while the circuit breaker is open.
	Retry *metav1.Duration `json:"retry,omitempty"`
}

// ApplyResult is the result of one delivery to a cluster.
type ApplyResult struct {
	// Started reports whether writing to the cluster has begun.
	Started bool `json:"started,omitempty"`
	// Finished reports whether every object was tried and objects that are no longer wanted were removed.
	Finished bool `json:"finished,omitempty"`
	// Terminal reports whether a retry cannot succeed.
	Terminal bool `json:"terminal,omitempty"`
	// Error of the delivery as a whole, in contrast to the errors of single objects.
	Error string `json:"error,omitempty"`
	// PruneBlocked is the message of the prune limits when they stopped the deletion of objects; empty otherwise.
	PruneBlocked string `json:"pruneBlocked,omitempty"`
	// Errors of single objects, by inventory entry.
	Errors map[string]string `json:"errors,omitempty"`
	// Drift lists objects that somebody else changed and accord repaired.
	Drift []string `json:"drift,omitempty"`
	// ContendedObjects lists objects that another writer changes back again and again.
	ContendedObjects []string `json:"contendedObjects,omitempty"`
	// Inventory lists the objects that were applied or are about to be applied.
	Inventory []string `json:"inventory,omitempty"`
	// PendingDeletions lists objects that were deleted and are still there.
	PendingDeletions []PendingDeletion `json:"pendingDeletions,omitempty"`
	// Orphaned lists objects that are no longer wanted and stay.
	Orphaned []string `json:"orphaned,omitempty"`
}

// PendingDeletion is an object that was deleted and is still there.
type PendingDeletion struct {
	// Object as "apps/Deployment shop/web".
	Object string `json:"object"`
	// Finalizer is the first finalizer of the object; empty until the deletion is observed.
	Finalizer string `json:"finalizer,omitempty"`
	// Since is the time of the deletion; absent until it is observed.
	Since *metav1.Time `json:"since,omitempty"`
}

// ReportedObject is the state of one live object.
type ReportedObject struct {
	// Version of its API, for example "v1".
	Version string `json:"version,omitempty"`
	// Digest of the live object. For a Secret it is "wanted" if the Secret is the one of ObservedDelivery, and empty otherwise.
	Digest string `json:"digest,omitempty"`
	// Generation of the live object.
	Generation int64 `json:"generation,omitempty"`
	// ObservedGeneration of the live object.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Observes reports whether the object has status.observedGeneration or its controller always sets it.
	Observes bool `json:"observes,omitempty"`
	// Health in one word.
	Health string `json:"health,omitempty"`
	// Message explains Health.
	Message string `json:"message,omitempty"`
	// Unschedulable counts the replicas that the descheduler may move away from the cluster.
	// +optional
	Unschedulable UnschedulableReplicas `json:"unschedulable,omitzero"`
	// Status has the fields of .status that are aggregated over clusters.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Status *apiextensionsv1.JSON `json:"status,omitempty"`
	// Answers has the fields of .status that the gates of rollouts read.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Answers *apiextensionsv1.JSON `json:"answers,omitempty"`
	// Mutated are the applied fields that have other values, at most five.
	// +kubebuilder:validation:MaxItems=5
	// +listType=atomic
	Mutated []MutatedField `json:"mutated,omitempty"`
	// Labels of the live object.
	Labels map[string]string `json:"labels,omitempty"`
	// Preserve reports whether the live object has the annotation that leaves it on the cluster.
	Preserve bool `json:"preserve,omitempty"`
	// Adopted reports whether the live object has the annotation of an object that accord did not create.
	Adopted bool `json:"adopted,omitempty"`
	// Foreign reports whether the object has accord's label although accord did not apply it, or a controller owns it. accord
	// never deletes it.
	Foreign bool `json:"foreign,omitempty"`
}

// DigestWanted stands for the digest of a Secret, which is not reported.
const DigestWanted = "wanted"

// DiscoveredObject is an object with accord's marks that no record on the hub lists.
type DiscoveredObject struct {
	// Object as "<namespace>_<name>_<group>_<kind>".
	Object string `json:"object"`
	// Replicas of a workload.
	Replicas *int32 `json:"replicas,omitempty"`
	// Completions of a Job.
	Completions *int32 `json:"completions,omitempty"`
}

// DeliveryReportList is a list of DeliveryReports.
//
// +kubebuilder:object:root=true
type DeliveryReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DeliveryReport `json:"items"`
}

// UnschedulableReplicas counts the replicas of a workload that a cluster cannot schedule for longer than the threshold. The zero value
// has none.
type UnschedulableReplicas struct {
	// Replicas that the cluster cannot schedule, at most those that are not ready.
	Replicas int32 `json:"replicas,omitempty"`
	// Of is the number of replicas that the workload had on the cluster.
	Of int32 `json:"of,omitempty"`
}
