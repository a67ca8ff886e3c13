package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Delivery is what one cluster received of one federation: inventory, revision, health.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=deliveries,categories=accord,shortName=dlv
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Federation",type=string,JSONPath=`.spec.federation`
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.cluster`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Objects",type=string,JSONPath=`.status.summary.display`
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Applied",type=string,priority=1,JSONPath=`.status.lastAppliedRevision`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Delivery struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DeliverySpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1,"conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"not delivered yet"}}}
	Status DeliveryStatus `json:"status,omitempty"`
}

// DeliverySpec says what is to be delivered where. Only the controller writes it; a new revision raises the generation.
type DeliverySpec struct {
	Federation string `json:"federation"`
	Cluster    string `json:"cluster"`
	Revision   string `json:"revision"`
	// Digest of all objects decided for this cluster: SHA-256, keyed where a Secret is among them.
	Digest string `json:"digest"`
}

// DeliveryStatus is what became of it.
type DeliveryStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Reachable, Applied, Healthy, Held, Drifted.
	// +listType=map
	// +listMapKey=type
	Conditions            []metav1.Condition `json:"conditions,omitempty"`
	LastAttemptedRevision string             `json:"lastAttemptedRevision,omitempty"`
	// LastAppliedRevision was written whole: while anything is held there, it stays what it was.
	LastAppliedRevision string `json:"lastAppliedRevision,omitempty"`
	LastHealthyRevision string `json:"lastHealthyRevision,omitempty"`
	// Summary counts objects.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// Problems are the objects that are not fine, at most ten: "apps/Deployment shop/web: ...".
	// +kubebuilder:validation:MaxItems=10
	Problems []ObjectProblem `json:"problems,omitempty"`
	// Omitted counts the objects that are not fine and not in Problems.
	Omitted int32 `json:"omitted,omitempty"`
	// Inventory lists what was put there, as "<namespace>_<name>_<group>_<kind>". It is written before the first
	// apply as the union of old and new, and shrunk after pruning.
	Inventory []string `json:"inventory,omitempty"`
	// Orphaned lists what is there, is no longer wanted, and stays: prune is off, or the policy preserves it.
	Orphaned []string `json:"orphaned,omitempty"`
	// Rollouts are what the cluster was given of the RolloutPolicies that claim anything there.
	// +listType=map
	// +listMapKey=policy
	Rollouts []DeliveryRollout `json:"rollouts,omitempty"`
	// LastProbeTime is when the cluster answered last.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
}

// ObjectProblem is one object that is not fine on this cluster.
type ObjectProblem struct {
	Object  string       `json:"object"`
	State   State        `json:"state"`
	Message string       `json:"message,omitempty"`
	Since   *metav1.Time `json:"since,omitempty"`
}

// DeliveryList is a list of Deliveries.
//
// +kubebuilder:object:root=true
type DeliveryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Delivery `json:"items"`
}
