package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Inventory is one part of the list of objects that a Federation has on a cluster. accord writes an object into the list before
// the object is written to the cluster, and deletes only objects that the list has.
//
// The entries of a part are sorted, and lie in the range from spec.from to spec.to. The ranges of all parts of a Delivery follow
// each other without a gap: the range of the first part has no beginning, and that of the last part no end. A list of which a
// part is missing or changed can be recognized: then accord writes and deletes nothing on the cluster. A part is created,
// changed and deleted by accord alone, and goes with its Delivery.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=inventories,shortName=inv
// +kubebuilder:printcolumn:name="Federation",type=string,JSONPath=`.spec.federation`
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.cluster`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.spec.count`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Inventory struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InventorySpec `json:"spec"`
}

// InventorySpec has the entries of one part.
type InventorySpec struct {
	// Federation of the Delivery.
	Federation string `json:"federation"`
	// Cluster of the Delivery.
	Cluster string `json:"cluster"`
	// From is the least entry that this part can have; empty in the first part.
	From string `json:"from,omitempty"`
	// To is the field from of the next part; empty in the last part.
	To string `json:"to,omitempty"`
	// Count is the number of entries.
	Count int32 `json:"count"`
	// Entries are the objects as "<namespace>_<name>_<group>_<kind>", sorted.
	// +listType=atomic
	Entries []string `json:"entries,omitempty"`
	// Digest is the SHA-256 of all other fields of the spec, shortened to 128 bits.
	Digest string `json:"digest"`
}

// InventoryList is a list of Inventories.
//
// +kubebuilder:object:root=true
type InventoryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Inventory `json:"items"`
}
