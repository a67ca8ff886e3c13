package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cluster is a member. Its spec is Karmada's cluster.karmada.io/v1alpha1 (Karmada §1.8): such manifests in Git are
// accepted as they are and appear here.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=accord,shortName=clu
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.kubernetesVersion`
// +kubebuilder:printcolumn:name="Nodes",type=string,JSONPath=`.status.nodeSummary.display`
// +kubebuilder:printcolumn:name="Region",type=string,priority=1,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Endpoint",type=string,priority=1,JSONPath=`.spec.apiEndpoint`
// +kubebuilder:printcolumn:name="Last-Probe",type=date,JSONPath=`.status.lastProbeTime`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 48",message="the name of a Cluster is a DNS label of at most 48 characters"
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ClusterSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1,"conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Pending","message":"not contacted yet"}}}
	Status ClusterStatus `json:"status,omitempty"`
}

// ClusterSpec is Karmada's (Karmada §1.8), field by field, and a hold.
//
// +kubebuilder:validation:XValidation:rule="!has(self.zone) || !has(self.zones)",message="zone is deprecated and excludes zones"
type ClusterSpec struct {
	ID string `json:"id,omitempty"`
	// SyncMode: accord connects to the members (Push). Pull is refused.
	// +kubebuilder:validation:Enum=Push
	// +kubebuilder:default=Push
	SyncMode string `json:"syncMode,omitempty"`
	// APIEndpoint is the URL of the API server, "https://host:port".
	APIEndpoint string `json:"apiEndpoint,omitempty"`
	// SecretRef names the Secret on the hub with either token and caBundle, or kubeconfig.
	SecretRef *SecretRef `json:"secretRef,omitempty"`
	// ImpersonatorSecretRef is accepted and has no effect.
	ImpersonatorSecretRef       *SecretRef        `json:"impersonatorSecretRef,omitempty"`
	InsecureSkipTLSVerification bool              `json:"insecureSkipTLSVerification,omitempty"`
	ProxyURL                    string            `json:"proxyURL,omitempty"`
	ProxyHeader                 map[string]string `json:"proxyHeader,omitempty"`
	Provider                    string            `json:"provider,omitempty"`
	Region                      string            `json:"region,omitempty"`
	// Zone is deprecated: use zones.
	Zone   string         `json:"zone,omitempty"`
	Zones  []string       `json:"zones,omitempty"`
	Taints []corev1.Taint `json:"taints,omitempty"`
	// Hold keeps hands off the cluster: nothing is created, changed, repaired or deleted there.
	Hold *ClusterHold `json:"hold,omitempty"`
	// ResourceModels are the grades that nodes are counted in by what they have left (status.resourceSummary). A cluster
	// without them is counted in the default ones.
	ResourceModels []ResourceModel `json:"resourceModels,omitempty"`
}

// SecretRef names a Secret.
type SecretRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// ClusterStatus is what was seen when the cluster was last asked.
type ClusterStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, CompleteAPIEnablements, ResourceSummaryAvailable.
	// +listType=map
	// +listMapKey=type
	Conditions        []metav1.Condition `json:"conditions,omitempty"`
	KubernetesVersion string             `json:"kubernetesVersion,omitempty"`
	// +optional
	NodeSummary NodeSummary `json:"nodeSummary,omitzero"`
	// LastProbeTime is when the cluster answered last.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
	// APIEnablements are the kinds that the cluster serves. The condition CompleteAPIEnablements says whether they are all;
	// without it nothing is known. They are left out, and the condition says so, when they are too many for one object.
	APIEnablements []APIEnablement `json:"apiEnablements,omitempty"`
	// ResourceSummary is what the nodes have and what is taken; absent while no plan needs it or it is not known. The condition
	// ResourceSummaryAvailable names the reason when it was requested and cannot be measured or renewed.
	ResourceSummary *ResourceSummary `json:"resourceSummary,omitempty"`
	// Taints are those that ClusterTaintPolicies put beside spec.taints. They stay until a policy removes them.
	Taints []corev1.Taint `json:"taints,omitempty"`
}

// NodeSummary counts nodes.
type NodeSummary struct {
	TotalNum int32 `json:"totalNum"`
	ReadyNum int32 `json:"readyNum"`
	// Display is "ready/total", for tables.
	Display string `json:"display,omitempty"`
}

// ClusterList is a list of Clusters.
//
// +kubebuilder:object:root=true
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cluster `json:"items"`
}
