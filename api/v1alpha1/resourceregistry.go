package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceRegistry names the objects of member clusters that accord keeps in memory, and serves as if one API server had them
// (docs/members.md). Its spec has the schema of Karmada's search.karmada.io/v1alpha1 (Karmada §9.1), in which group it is served, too.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=accord,shortName=rr
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.status.display`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.objects`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceRegistry struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceRegistrySpec `json:"spec,omitempty"`
	// +kubebuilder:default={"observedGeneration":-1,"message":"accord has not read it yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"accord has not read it yet"}}}
	Status ResourceRegistryStatus `json:"status,omitempty"`
}

// ResourceRegistrySpec selects clusters and kinds.
type ResourceRegistrySpec struct {
	// TargetCluster selects clusters. Empty selects all.
	TargetCluster RegistryAffinity `json:"targetCluster"`
	// ResourceSelectors select objects.
	// +kubebuilder:validation:MinItems=1
	ResourceSelectors []RegistrySelector `json:"resourceSelectors"`
	// BackendStore is accepted for Karmada's manifests and has no effect: the condition BackendStoreIgnored reports it.
	// +optional
	BackendStore *BackendStore `json:"backendStore,omitempty"`
}

// RegistryAffinity selects clusters as spec.placement.clusterAffinity of a policy does: every field that is set must match.
type RegistryAffinity struct {
	// LabelSelector selects clusters by their labels.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// FieldSelector selects clusters by provider, region and zone.
	FieldSelector *RegistryFieldSelector `json:"fieldSelector,omitempty"`
	// ClusterNames are the names of the clusters; all clusters by default.
	ClusterNames []string `json:"clusterNames,omitempty"`
	// Exclude has the names of clusters that never match.
	Exclude []string `json:"exclude,omitempty"`
}

// RegistryFieldSelector selects by provider, region and zone.
type RegistryFieldSelector struct {
	// MatchExpressions are requirements on provider, region and zone. A cluster has to meet all of them.
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// RegistrySelector selects the objects of one kind.
type RegistrySelector struct {
	// APIVersion of the kind, "apps/v1".
	APIVersion string `json:"apiVersion"`
	// Kind of the objects.
	Kind string `json:"kind"`
	// Namespace of the objects; empty selects all namespaces.
	Namespace string `json:"namespace,omitempty"`
}

// BackendStore is an external index of the objects.
type BackendStore struct {
	// OpenSearch is the cluster of OpenSearch.
	OpenSearch *OpenSearch `json:"openSearch,omitempty"`
}

// OpenSearch has the addresses and the credentials of OpenSearch.
type OpenSearch struct {
	// Addresses are URLs.
	Addresses []string `json:"addresses"`
	// SecretRef names the Secret with the credentials.
	SecretRef SecretRef `json:"secretRef,omitempty"`
}

// ResourceRegistryStatus is the state of the caches.
type ResourceRegistryStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, and BackendStoreIgnored.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the message of condition Ready, for tables.
	Message string `json:"message,omitempty"`
	// Objects is the number of cached objects.
	Objects int64 `json:"objects,omitempty"`
	// Display is "current/selected clusters", for tables.
	Display string `json:"display,omitempty"`
	// Clusters are the selected clusters, sorted; at most 100 of them, those that are not current first.
	Clusters []RegistryCluster `json:"clusters,omitempty"`
	// OmittedClusters is the number of selected clusters that are not listed.
	OmittedClusters int64 `json:"omittedClusters,omitempty"`
}

// RegistryCluster is the state of the caches of one cluster.
type RegistryCluster struct {
	// Name of the Cluster.
	Name string `json:"name"`
	// State is Current if the caches follow the cluster, Stale if their objects are old, Pending before the first list, and
	// Unavailable if the cluster did not answer it.
	// +kubebuilder:validation:Enum=Current;Stale;Pending;Unavailable
	State string `json:"state"`
	// Objects is the number of cached objects.
	Objects int64 `json:"objects"`
	// NotServed are the selected kinds that the cluster does not have.
	NotServed []string `json:"notServed,omitempty"`
	// Since is the time of the last change of the state, and Message the reason unless it is Current.
	Since *metav1.Time `json:"since,omitempty"`
	// Message is the reason unless the state is Current.
	Message string `json:"message,omitempty"`
}

// States of a RegistryCluster.
const (
	RegistryCurrent     = "Current"
	RegistryStale       = "Stale"
	RegistryPending     = "Pending"
	RegistryUnavailable = "Unavailable"
)

// ResourceRegistryList is a list of ResourceRegistries.
//
// +kubebuilder:object:root=true
type ResourceRegistryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceRegistry `json:"items"`
}
