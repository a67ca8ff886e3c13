package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DeliveryReport is what the replica that holds a cluster did and saw there, for the replica that leads: status is judged
// from it. There is one, of the same name, beside every Delivery to a cluster that another replica than the leader holds.
// It is only of use as long as that replica holds the cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=dlvr
// +kubebuilder:printcolumn:name="Federation",type=string,JSONPath=`.federation`
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.cluster`
// +kubebuilder:printcolumn:name="Replica",type=string,JSONPath=`.replica`
// +kubebuilder:printcolumn:name="Finished",type=boolean,JSONPath=`.run.finished`
// +kubebuilder:printcolumn:name="Unreachable",type=string,JSONPath=`.reach.unreachable`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type DeliveryReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Federation string `json:"federation"`
	Cluster    string `json:"cluster"`
	// Replica that wrote it.
	Replica string `json:"replica"`
	// Order is what of the Delivery Run and Listed are about; empty before the replica has read one.
	Order string `json:"order,omitempty"`
	// Reach is whether the cluster answers.
	Reach ReportedReach `json:"reach"`
	// Run is what became of Order.
	Run ReportedRun `json:"run"`
	// Listed says that Objects are all that is there of the kinds that are wanted or were delivered.
	Listed bool `json:"listed,omitempty"`
	// Objects are what is there, as "<namespace>_<name>_<group>_<kind>".
	Objects map[string]ReportedObject `json:"objects"`
	// Found is what the cluster has of the federation although nothing on the hub says so; it is not delivered to before
	// a plan knows it.
	Found []FoundObject `json:"found,omitempty"`
}

// ReportedReach is whether a cluster answers.
type ReportedReach struct {
	// Unreachable says why it does not; empty when it does. Reason is that in one word.
	Unreachable string `json:"unreachable,omitempty"`
	Reason      string `json:"reason,omitempty"`
	// HeardAt is when it answered last.
	HeardAt *metav1.Time `json:"heardAt,omitempty"`
	// OpenSince is since when the circuit breaker is open, and Retry how often the cluster is tried then.
	OpenSince *metav1.Time     `json:"openSince,omitempty"`
	Retry     *metav1.Duration `json:"retry,omitempty"`
}

// ReportedRun is what became of an order.
type ReportedRun struct {
	// Started says that writing to the cluster has begun, Finished that every object was tried, and that what is no longer
	// wanted was removed.
	Started  bool `json:"started,omitempty"`
	Finished bool `json:"finished,omitempty"`
	// Final says that what failed is not mended by trying again.
	Final bool `json:"final,omitempty"`
	// Error is what went wrong beside single objects, Braked what the prune brake stopped.
	Error  string `json:"error,omitempty"`
	Braked string `json:"braked,omitempty"`
	// Errors of single objects, by entry.
	Errors map[string]string `json:"errors,omitempty"`
	// Drift is what was changed back, Fights what is changed again and again.
	Drift  []string `json:"drift,omitempty"`
	Fights []string `json:"fights,omitempty"`
	// Inventory lists what was put there, or is about to be.
	Inventory []string `json:"inventory,omitempty"`
	// Orphaned lists what stays although it is not wanted.
	Orphaned []string `json:"orphaned,omitempty"`
}

// ReportedObject is one live object.
type ReportedObject struct {
	// Version of its API.
	Version string `json:"version,omitempty"`
	// Digest of what is there. Of a Secret it is DigestWanted if it is the one that Order wants, and else empty.
	Digest string `json:"digest,omitempty"`
	// Generation, ObservedGeneration and Observes as the live object has them.
	Generation         int64 `json:"generation,omitempty"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	Observes           bool  `json:"observes,omitempty"`
	// Health in a word and a sentence.
	Health  string `json:"health,omitempty"`
	Message string `json:"message,omitempty"`
	// Status is what adds up over clusters, Answers what gates of rollouts ask.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Status *apiextensionsv1.JSON `json:"status,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Answers  *apiextensionsv1.JSON `json:"answers,omitempty"`
	Labels   map[string]string     `json:"labels,omitempty"`
	Preserve bool                  `json:"preserve,omitempty"`
	Adopted  bool                  `json:"adopted,omitempty"`
}

// DigestWanted stands for the digest of a Secret, which is told nowhere else.
const DigestWanted = "wanted"

// FoundObject is an object on a cluster of which nothing on the hub says that it was delivered.
type FoundObject struct {
	// Object as "<namespace>_<name>_<group>_<kind>".
	Object      string `json:"object"`
	Replicas    *int32 `json:"replicas,omitempty"`
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
