package v1alpha1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Delivery is the wanted and the actual state of one cluster for one Federation: revision, size of the inventory and health.
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
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.shortRevision`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Delivery struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DeliverySpec `json:"spec"`
	// +structType=atomic
	// +kubebuilder:default={"observedGeneration":-1,"message":"not delivered yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"not delivered yet"}}}
	Status DeliveryStatus `json:"status,omitempty"`
}

// DeliverySpec is the wanted state. Only the controller writes it. A new revision raises the generation.
type DeliverySpec struct {
	// Federation that the Delivery belongs to, in the same namespace.
	Federation string `json:"federation"`
	// Cluster that the objects are delivered to.
	Cluster string `json:"cluster"`
	// Revision that the cluster should have.
	Revision string `json:"revision"`
	// Digest of all objects that the plan chose for this cluster: SHA-256, keyed if there is a Secret among them.
	Digest string `json:"digest"`
	// ControlDigest is the SHA-256 of the manifests of the plan that decide and are no objects; empty without any.
	ControlDigest string `json:"controlDigest,omitempty"`
}

// DeliveryStatus is the actual state.
type DeliveryStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Reachable, Applied, Healthy, Held, Drifted, Mutated.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// LastAttemptedRevision is the revision that accord tried to apply last.
	LastAttemptedRevision string `json:"lastAttemptedRevision,omitempty"`
	// LastAppliedRevision is the last revision of which every object was applied. It does not change while an object is held.
	LastAppliedRevision string `json:"lastAppliedRevision,omitempty"`
	// ShortRevision is the first 7 digits of the commit of lastAppliedRevision, for tables.
	ShortRevision string `json:"shortRevision,omitempty"`
	// LastHealthyRevision is the last revision that was healthy on the cluster.
	LastHealthyRevision string `json:"lastHealthyRevision,omitempty"`
	// Summary counts objects.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// Problems are the objects that are not healthy, at most ten.
	// +kubebuilder:validation:MaxItems=10
	Problems []ObjectProblem `json:"problems,omitempty"`
	// Omitted counts the objects that are not healthy and not in Problems.
	Omitted int32 `json:"omitted,omitempty"`
	// InventoryCount is the number of objects in the Inventories of the cluster, which list the delivered objects. While objects
	// are added or removed, the Inventories have more.
	InventoryCount int32 `json:"inventoryCount,omitempty"`
	// Orphaned lists objects that are no longer wanted and stay on the cluster, because prune is off or the policy preserves
	// them.
	Orphaned []string `json:"orphaned,omitempty"`
	// WaitingFor is the object whose deletion is waited for; absent when every deleted object is gone.
	WaitingFor *WaitingFor `json:"waitingFor,omitempty"`
	// MutatedFields are applied fields that have other values on the cluster, at most ten. The condition Mutated counts them.
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	MutatedFields []MutatedField `json:"mutatedFields,omitempty"`
	// Rollouts is the state of the cluster in each rollout, one entry per RolloutPolicy that claims objects there.
	// +listType=map
	// +listMapKey=policy
	Rollouts []DeliveryRollout `json:"rollouts,omitempty"`
	// LastProbeTime is the time at which the cluster last answered.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
}

// ObjectProblem is one object that is not healthy on this cluster.
type ObjectProblem struct {
	// Object as "apps/Deployment shop/web".
	Object string `json:"object"`
	// State of the object on the cluster.
	State State `json:"state"`
	// Message is the reason of the state.
	Message string `json:"message,omitempty"`
	// Since is the time at which the problem began.
	Since *metav1.Time `json:"since,omitempty"`
}

// MutatedField is an applied field that has another value on the cluster although accord owns the field.
type MutatedField struct {
	// Object as "apps/Deployment shop/web"; empty in a DeliveryReport, whose entry names the object.
	Object string `json:"object,omitempty"`
	// Field of the object, for example "spec.replicas" or "spec.template.spec.containers[web].image".
	Field string `json:"field"`
	// Applied is the value that accord sent, as JSON, at most 64 bytes; empty for a Secret.
	Applied string `json:"applied,omitempty"`
	// Live is the value on the cluster in the same form; empty if the field was removed, and for a Secret.
	Live string `json:"live,omitempty"`
}

// String returns "apps/Deployment shop/web spec.replicas: 2 became 1".
func (f MutatedField) String() string {
	name := strings.TrimPrefix(f.Object+" "+f.Field, " ")
	switch {
	case f.Applied == "":
		return name + " was changed"
	case f.Live == "":
		return name + ": " + f.Applied + " was removed"
	}
	return name + ": " + f.Applied + " became " + f.Live
}

// DeliveryList is a list of Deliveries.
//
// +kubebuilder:object:root=true
type DeliveryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Delivery `json:"items"`
}
